/* Unwinding native stacks from the registers of a thread.
 *
 * Rows come from each module's .eh_frame (cfi.h), looked up once per address and cached; without
 * one, frame pointers are followed as long as they are valid.  The thread's own stack is read
 * directly within its bounds, anything else only after the kernel has confirmed that it is
 * readable.
 *
 * unwind_self() is for signal handlers: no lock, no allocation, no loader.  unwind_learn() reads
 * the modules, outside of handlers or, rarely, inside. */
#ifndef KYMO_UNWIND_H
#define KYMO_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/unwind/cfi.h"

struct unwind_registers {
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;   /* x86-64: rbp; aarch64: x29 */
	uint64_t link; /* aarch64: x30; else 0 */
	/* The ucontext_t that they were taken from, for the few instructions of an innermost frame
	 * that need other registers; NULL = none. */
	const void *context;
};

/* The thread's own stack.  All of [stack pointer, high) must be readable while the stack pointer is
 * in [low, high).  Both 0: not known, every page is checked. */
struct unwind_stack {
	uint64_t low;
	uint64_t high;
};

struct unwind_frame {
	uint64_t address; /* innermost: the instruction; callers: within the call instruction */
	uint64_t low;	  /* stack pointer there: the frame is [low, low of its caller) */
};

enum unwind_end {
	UNWIND_COMPLETE, /* up to the thread's first frame */
	UNWIND_CUT,	 /* the array is full */
	UNWIND_LOST,	 /* no rule for an address */
	UNWIND_TORN,	 /* the stack is unreadable or inconsistent */
};

/* The frames of the calling thread from registers on, innermost first.  Returns their number, at
 * least 1.  errno is preserved.  Context: any. */
size_t unwind_self(const struct unwind_registers *registers, const struct unwind_stack *stack,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out);

/* Read which modules the process has.  To be called once before stacks are unwound; later
 * unwind_self() does so by itself when an address is in none.  Context: init the first time, then
 * any. */
void unwind_learn(void);

/* Registers of the interrupted thread from the third argument of a signal handler. */
void unwind_from_context(const void *ucontext, struct unwind_registers *out);
/* The registers that compilers keep pointers in, as words.  Returns how many. */
#define UNWIND_WORDS_MAX 48u
size_t unwind_words(const void *ucontext, uint64_t words[UNWIND_WORDS_MAX]);
/* Those of the calling function. */
void unwind_from_here(struct unwind_registers *out);

/* The bounds of the function part that covers pc in this process; false: not known. */
bool unwind_function(uint64_t pc, uint64_t *start_out, uint64_t *end_out);

/* Copy from this process's own memory; false if part of it is not readable.  Two system calls at
 * most; errno is preserved.  Context: any. */
bool unwind_copy(uint64_t address, void *to, size_t size);

struct unwind_space {
	/* Copy size bytes at address; false = not readable. */
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	/* The row for pc; false = none. */
	bool (*row)(void *context, uint64_t pc, struct cfi_row *row_out);
	/* As cfi_find_register(); or NULL. */
	bool (*saved)(void *context, uint64_t pc, unsigned number, int32_t *offset_out);
	void *context;
};

size_t unwind_walk(const struct unwind_space *space, const struct unwind_registers *registers,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out);

#endif
