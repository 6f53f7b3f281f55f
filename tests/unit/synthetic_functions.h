/* Instrumented functions in recordings that are made in memory: their tables, the records of
 * their trampolines as patch/apply/patchabi.h says, and what is counted of them.
 *
 * Records are collected as bytes and become a chunk of a thread when they are put there. */
#ifndef KYMO_SYNTHETIC_FUNCTIONS_H
#define KYMO_SYNTHETIC_FUNCTIONS_H

#include "patch/apply/patchabi.h"
#include "synthetic.h"

struct function_events_bytes {
	unsigned char *bytes;
	size_t size, capacity;
	uint64_t base; /* ticks that the first record counts from */
	uint64_t last;
	uint16_t flags; /* of the chunk: KYMO_FUNCTION_EVENTS_MARKED has other records */
};

/* Function i lies at start + offsets[i], flags from KYMO_FUNCTION_*; sizes in the low bits. */
void synthetic_functions(struct synthetic *synthetic, uint64_t start, uint32_t first_id,
			 enum patch_cost cost, const struct kymo_function_range *places,
			 uint32_t count);

/* Times are nanoseconds since the recording's start.  address: of the return address. */
void function_events_begin(struct function_events_bytes *pairs, uint64_t time);
void function_events_enter(struct function_events_bytes *pairs, uint32_t id, uint64_t address,
			   uint64_t time);
void function_events_exit(struct function_events_bytes *pairs, uint64_t address, uint64_t time);
void function_events_put_mark(struct function_events_bytes *pairs, enum patch_mark mark,
			      uint64_t time);
/* MARKED: room that nobody wrote to. */
void function_events_put_hole(struct function_events_bytes *pairs, unsigned size);
/* Into a chunk of the thread, with the END and unused room behind it; pairs is empty then. */
void function_events_put(struct function_events_bytes *pairs, struct synthetic *synthetic,
			 uint32_t thread);

/* What is counted of a thread: how many calls come before the next one that is timed, from
 * function first_id on; what was timed, and who called that. */
void synthetic_left(struct synthetic *synthetic, uint32_t thread, uint32_t first_id,
		    const uint32_t *left, uint32_t count);
void synthetic_timed(struct synthetic *synthetic, uint32_t thread, const struct kymo_timed *timed,
		     uint32_t count);
void synthetic_callers(struct synthetic *synthetic, uint32_t thread,
		       const struct kymo_timed_caller *callers, uint32_t count);
void synthetic_throttled(struct synthetic *synthetic, uint32_t thread,
			 const struct kymo_throttled *brief, uint32_t count);
/* The sums of calls that all took the same, weight each. */
struct kymo_timed_sums synthetic_sums(uint64_t calls, double weight, uint64_t ticks);

#endif
