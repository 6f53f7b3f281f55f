/* Instrumented functions in recordings that are made in memory: their tables, the records of
 * their trampolines as patch/apply/patchabi.h says, and what is counted of them.
 *
 * Records are collected as bytes and become a chunk of a thread when they are put there. */
#ifndef KYMO_SYNTHETIC_FUNCTIONS_H
#define KYMO_SYNTHETIC_FUNCTIONS_H

#include "patch/apply/patchabi.h"
#include "synthetic.h"

struct pairs_bytes {
	unsigned char *bytes;
	size_t size, capacity;
	uint64_t base; /* ticks that the first record counts from */
	uint64_t last;
	uint16_t flags; /* of the chunk: KYMO_PAIRS_MARKED has other records */
};

/* Function i lies at start + offsets[i], flags from KYMO_FUNCTION_*; sizes in the low bits. */
void synthetic_functions(struct synthetic *synthetic, uint64_t start, uint32_t first_id,
			 enum patch_cost cost, const struct kymo_function_place *places,
			 uint32_t count);

/* Times are nanoseconds since the recording's start.  address: of the return address. */
void pairs_begin(struct pairs_bytes *pairs, uint64_t time);
void pairs_enter(struct pairs_bytes *pairs, uint32_t id, uint64_t address, uint64_t time);
void pairs_exit(struct pairs_bytes *pairs, uint64_t address, uint64_t time);
void pairs_put_mark(struct pairs_bytes *pairs, enum patch_mark mark, uint64_t time);
/* MARKED: room that nobody wrote to. */
void pairs_put_hole(struct pairs_bytes *pairs, unsigned size);
/* Into a chunk of the thread, with the END and unused room behind it; pairs is empty then. */
void pairs_put(struct pairs_bytes *pairs, struct synthetic *synthetic, uint32_t thread);

/* What is counted of a thread: how many calls come before the next one that is timed, from
 * function first_id on; what was timed, and who called that. */
void synthetic_left(struct synthetic *synthetic, uint32_t thread, uint32_t first_id,
		    const uint32_t *left, uint32_t count);
void synthetic_timed(struct synthetic *synthetic, uint32_t thread, const struct kymo_timed *timed,
		     uint32_t count);
void synthetic_callers(struct synthetic *synthetic, uint32_t thread,
		       const struct kymo_timed_caller *callers, uint32_t count);
void synthetic_brief(struct synthetic *synthetic, uint32_t thread, const struct kymo_brief *brief,
		     uint32_t count);
/* The sums of calls that all took the same, weight each. */
struct kymo_timed_sums synthetic_sums(uint64_t calls, double weight, uint64_t ticks);

#endif
