/* Records of instrumented functions: tables, counts and timed calls. */
#ifndef KYMO_FORMAT_FUNCTION_H
#define KYMO_FORMAT_FUNCTION_H

#include <stdint.h>

/* FUNCTIONS payload: one table, behind it count struct kymo_function_range, and up to its end
 * struct kymo_function_code, by offset.  Names are found by the address, like those of samples.  A
 * later table may give the same ids again, with the same ranges: the module was loaded a second
 * time. */
struct kymo_function_table {
	uint64_t start;	   /* address in the process that offsets count from */
	uint64_t ticks;	   /* when the module was patched */
	uint32_t first_id; /* of the first range */
	uint32_t count;
	uint32_t cost;	  /* 1 counts, 2 coarse, 3 full */
	uint32_t taken;	  /* ranges with KYMO_FUNCTION_TAKEN */
	uint64_t cost_ps; /* what one call costs more, calibrated, picoseconds; 0 = not known */
	/* Counts: what timing a call takes, ticks, taken off the time of each; 0 = not known. */
	uint64_t timing_ticks;
	uint64_t code; /* address in the process of what records their calls; 0 = not known */
	uint32_t code_size;
	uint32_t inside_ps; /* of cost_ps, between a call's two readings; 0 = not known */
};
_Static_assert(sizeof(struct kymo_function_table) == 64, "function table");

/* INFO note: picoseconds that recording a call of an empty function takes, one that works beside
 * it, and how long that works. */
#define KYMO_FUNCTION_COSTS_NOTE "costs of calls"

/* INFO note: the clock was read when all work before it was done; its text is "serialized". */
#define KYMO_SERIALIZED_NOTE "times of calls"

/* INFO note: what it costs to count one call of a function that is only counted, picoseconds. */
#define KYMO_COUNTED_CALL_COST_NOTE "cost of counted calls"

struct kymo_function_code { /* whose the code is from offset on, up to the next one */
	uint32_t offset;
	uint32_t id; /* UINT32_MAX: several functions' */
};

struct kymo_function_range {
	uint32_t offset;
	uint32_t size_flags; /* bytes, KYMO_FUNCTION_* in the upper six bits */
};
#define KYMO_FUNCTION_TAKEN	   0x80000000u /* instrumented: others are there for their callees */
#define KYMO_FUNCTION_NO_EXIT	   0x40000000u /* its ends are not seen: calls only */
#define KYMO_FUNCTION_TAIL_CALLS   0x20000000u /* may end in another function */
#define KYMO_FUNCTION_UNPATCHED	   0x10000000u /* taken out while running: budget */
/* Its body is called by its trampoline, so that its calls have exits of their own, also where they
 * ended in another function, if that is not called likewise. */
#define KYMO_FUNCTION_CALL_THROUGH 0x08000000u
#define KYMO_FUNCTION_LOOP	   0x04000000u /* a loop of the function that it lies in */
#define KYMO_FUNCTION_SIZE_MASK	   0x03ffffffu

/* FUNCTION_EVENTS payload: the records of patch/apply/patchabi.h from the chunk's start to a
 * PATCH_MARK_END, or, in a chunk with this flag, those with marks of time to the chunk's end; used
 * is not maintained. chunk.base: ticks that the first record counts from.  Frames stay open from
 * one chunk to the next. */
#define KYMO_FUNCTION_EVENTS_MARKED 1u

/* COUNTDOWNS payload: int32_t by function id, the first is chunk.base.  Several make one table.
 * Negative: a call that found nothing left was abandoned by a jump out of a signal handler, and
 * further ones came. */

/* What a timed call stands for: its weight is how many calls came for each one that was timed
 * at that time, 1 while all are.  What weights and ticks of ended calls add up to: */
struct kymo_timed_sums {
	uint64_t ended;	       /* timed calls whose end was seen */
	uint64_t ticks;	       /* of those */
	double squares;	       /* sum of the squares of their ticks */
	double weights;	       /* of their weights */
	double weighted_ticks; /* of weight * ticks */
	double spread;	       /* of weight * (weight - 1) */
	double spread_ticks;   /* of weight * (weight - 1) * ticks */
	double spread_squares; /* of weight * (weight - 1) * ticks^2 */
};
_Static_assert(sizeof(struct kymo_timed_sums) == 64, "sums of timed calls");

struct kymo_timed { /* TIMED payload; complete when due is not 0 */
	uint32_t id;
	uint32_t sampling_interval; /* one in so many is timed now: the weight of the next */
	uint64_t due; /* calls when its COUNTDOWNS has come to 0: calls = due - left */
	uint64_t timed;
	uint64_t min, max; /* of those that ended */
	uint64_t owed;	   /* ticks of timing that calls so far were too short to have taken off */
	uint64_t reserved[2];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed) == 128, "timed function record");

struct kymo_timed_caller { /* CALLERS payload; complete when timed is not 0 */
	uint32_t id;	   /* the callee */
	uint32_t timed;
	uint64_t return_address; /* behind the call; 0 = all others, there was no room */
	uint64_t reserved[6];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed_caller) == 128, "caller record");

/* THROTTLED payload: throttled functions, called too often to be recorded.  Their calls from then
 * on are counted here, and nowhere else. */
struct kymo_throttled { /* complete when calls is not 0 */
	uint32_t id;
	uint32_t reserved;
	uint64_t since; /* ticks */
	uint64_t calls; /* while the recording is open, some tenths of a second behind */
	uint64_t reserved2;
};
_Static_assert(sizeof(struct kymo_throttled) == 32, "record of a throttled function");

#endif
