/* Return addresses of stopped threads: the words of their stacks.
 *
 * Signal handlers may run on an alternate stack; the interrupted stack is found by the kernel's
 * signal frame.  Calls nothing of the C library. */
#ifndef KYMO_FUNCPATCH_STACKS_H
#define KYMO_FUNCPATCH_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#define STACKS_MAX	  8192u
#define STACKS_WORDS	  4096u
#define STACKS_RETURNS	  8u
#define STACKS_PIECE_TAIL 32u /* words that are read again with the next piece */

struct stack_range {
	uint64_t start, end; /* end 0: unknown */
};

struct stacks { /* the caller's memory, all zero initially */
	uint32_t count, done;
	struct stack_range ranges[STACKS_MAX];
	uint64_t words[STACKS_WORDS + STACKS_PIECE_TAIL];
	uint64_t returns[STACKS_RETURNS]; /* where signal handlers return to */
	uint32_t return_count;
	bool is_too_many; /* not all could be scanned */
};

/* Determine where handlers return to.  May be called again: earlier results are kept.  Context:
 * any. */
void stacks_learn(struct stacks *stacks);
void stacks_clear(struct stacks *stacks);
/* A stack from its stack pointer on. */
void stacks_add(struct stacks *stacks, uint64_t sp);
/* Call a function for all their words.  False: they cannot all be read. */
typedef void (*stacks_fn)(uint64_t word, void *context);
bool stacks_each(struct stacks *stacks, stacks_fn visit, void *context);

#endif
