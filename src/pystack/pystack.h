/* The Python stack of a thread, read from memory: of the calling thread in a signal handler, or of
 * any thread of another process.
 *
 * Nothing of the interpreter is called and no reference is counted; no lock, no allocation.  In the
 * process itself memory is read directly where the running thread cannot be changing it, and by
 * system call if it could be unmapped.  Inconsistent stacks are rejected and reported: the caller
 * discards and counts them. */
#ifndef KYMO_PYSTACK_H
#define KYMO_PYSTACK_H

#include <stddef.h>

#include "pystack/pylayout.h"
#include "pystack/pymemory.h"

struct pyframe { /* innermost first */
	uint64_t code;
	uint32_t offset;    /* of the instruction, bytes; KYMO_FRAME_NO_OFFSET = not started */
	bool is_entry;	    /* its evaluation was entered from C: a C frame ends with it */
	uint64_t c_address; /* an address in that C frame, 0 = not known.  Only in entries */
};

enum pystack_status {
	PYSTACK_OK,
	PYSTACK_NONE, /* no Python code runs in this thread */
	PYSTACK_TORN, /* it changed while it was read, or is inconsistent */
	PYSTACK_CUT,  /* the array is full */
};

/* Distinguishes a code object from another one at the same address later. */
struct pycode_identity {
	uint64_t code, name, filename, lines;
	uint32_t first_line;
};

#define PYCODE_LINES_MAX 65536u /* bytes of a line table; longer ones are ignored */

struct pygil {
	uint64_t address, size;		      /* of struct _gil_runtime_state */
	uint64_t condition, switch_condition; /* pthread_cond_t of waiters; of switches */
	uint64_t holder;		      /* thread state that holds it, 0 = none */
};
/* Of the interpreter of thread (0 = the main one). */
bool pygil_read(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t thread,
		struct pygil *out);

#endif
