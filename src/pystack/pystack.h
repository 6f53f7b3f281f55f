/* The Python stack of a thread, read from memory: of the calling thread in a signal
 * handler, or of any thread of another process.
 *
 * Nothing of the interpreter is called and no reference is counted; no lock, no
 * allocation.  In the process itself memory is read directly where the running thread
 * cannot be changing it, and by system call where it could be gone.  What does not hold
 * together is refused and said: the caller discards and counts it. */
#ifndef KYMO_PYSTACK_H
#define KYMO_PYSTACK_H

#include <stddef.h>

#include "pystack/pylayout.h"
#include "pystack/pymemory.h"

struct pyframe { /* innermost first */
	uint64_t code;
	uint32_t offset;    /* of the instruction, bytes; KYMO_FRAME_NO_OFFSET = not started */
	bool is_entry;	    /* its evaluation was entered from C: with it a C frame ends */
	uint64_t c_address; /* an address inside of that C frame, 0 = not known.  Only in entries */
};

enum pystack_status {
	PYSTACK_OK,
	PYSTACK_NONE, /* no Python code runs in this thread */
	PYSTACK_TORN, /* it changed while it was read, or made no sense */
	PYSTACK_CUT,  /* there are more frames than room */
};

/* What tells a code object from another one that took its place at the same address. */
struct pycode_identity {
	uint64_t code, name, filename, lines;
	uint32_t first_line;
};

#define PYCODE_LINES_MAX 65536u /* bytes of a line table; a longer one is not taken */

struct pygil {
	uint64_t address, size;		      /* of struct _gil_runtime_state */
	uint64_t condition, switch_condition; /* pthread_cond_t of those who wait; of switches */
	uint64_t holder;		      /* thread state that has it, 0 = nobody */
};
/* Of the interpreter that thread belongs to (0 = the main one). */
bool pygil_read(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t thread,
		struct pygil *out);

#endif
