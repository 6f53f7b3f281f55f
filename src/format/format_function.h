/* Records of instrumented functions: tables, counts and timed calls. */
#ifndef KYMO_FORMAT_FUNCTION_H
#define KYMO_FORMAT_FUNCTION_H

#include <stdint.h>

/* FUNCTIONS payload: one table, then count struct kymo_function_range, and up to its end struct
 * kymo_function_code, by offset.  Names are found by address, like those of samples.  A later
 * table may define the same ids again, with the same ranges: the module was loaded a second
 * time. */
struct kymo_function_table {
	uint64_t start;	   /* address in the process that offsets are relative to */
	uint64_t ticks;	   /* when the module was patched */
	uint32_t first_id; /* of the first range */
	uint32_t count;
	uint32_t cost;	  /* 1 counts, 2 coarse, 3 full */
	uint32_t taken;	  /* ranges with KYMO_FUNCTION_TAKEN */
	uint64_t cost_ps; /* calibrated extra cost of one call, picoseconds; 0 = unknown */
	/* Counts: what timing a call takes, ticks, subtracted from the time of each; 0 =
	 * unknown. */
	uint64_t timing_ticks;
	uint64_t
		code; /* address in the process of the code that records their calls; 0 = unknown */
	uint32_t code_size;
	uint32_t inside_ps; /* of cost_ps, between a call's two readings; 0 = unknown */
};
_Static_assert(sizeof(struct kymo_function_table) == 64, "function table");

/* INFO note: picoseconds that recording a call takes for an empty function, for one whose work
 * overlaps with it, and how long that works. */
#define KYMO_FUNCTION_COSTS_NOTE "costs of calls"

/* INFO note: the clock was read after all earlier work had completed; its text is "serialized". */
#define KYMO_SERIALIZED_NOTE "times of calls"

/* INFO note: the cost of counting one call of a throttled function, picoseconds. */
#define KYMO_COUNTED_CALL_COST_NOTE "cost of counted calls"

struct kymo_function_code { /* the function that the code belongs to from offset on, up to the next
			       one */
	uint32_t offset;
	uint32_t id; /* UINT32_MAX: shared by several functions */
};

struct kymo_function_range {
	uint32_t offset;
	uint32_t size_flags; /* bytes, KYMO_FUNCTION_* in the upper six bits */
};
#define KYMO_FUNCTION_TAKEN	   0x80000000u /* instrumented: others are listed as callees */
#define KYMO_FUNCTION_NO_EXIT	   0x40000000u /* its ends are not recorded: calls only */
#define KYMO_FUNCTION_TAIL_CALLS   0x20000000u /* may end in another function */
#define KYMO_FUNCTION_UNPATCHED	   0x10000000u /* throttled while running: budget */
/* Its body is called by its trampoline, so that its calls have exits of their own, also if they
 * ended in another function that is not called likewise. */
#define KYMO_FUNCTION_CALL_THROUGH 0x08000000u
#define KYMO_FUNCTION_LOOP	   0x04000000u /* a loop of the function that contains it */
#define KYMO_FUNCTION_SIZE_MASK	   0x03ffffffu

/* FUNCTION_EVENTS payload: the records of patch/apply/patchabi.h from the chunk's start to a
 * PATCH_MARK_END, or, in a chunk with this flag, those with marks of time to the chunk's end;
 * used is not maintained. chunk.base: ticks that the first record is relative to.  Frames stay
 * open from one chunk to the next. */
#define KYMO_FUNCTION_EVENTS_MARKED 1u

/* COUNTDOWNS payload: int32_t by function id, the first is chunk.base.  Several make one table.
 * Negative: a call that found 0 was abandoned by a jump out of a signal handler, and further
 * ones followed. */

/* The weight of a timed call is the number of calls that it represents, 1 while all are timed.
 * Sums of weights and ticks of ended calls: */
struct kymo_timed_sums {
	uint64_t ended;	       /* timed calls whose end was recorded */
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
	uint64_t owed;	   /* ticks of timing still to be subtracted, because calls so far were too
			      short */
	uint64_t reserved[2];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed) == 128, "timed function record");

struct kymo_timed_caller { /* CALLERS payload; complete when timed is not 0 */
	uint32_t id;	   /* the callee */
	uint32_t timed;
	uint64_t return_address; /* after the call; 0 = all others, there was no space */
	uint64_t reserved[6];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed_caller) == 128, "caller record");

/* THROTTLED payload: throttled functions, called too often to be recorded.  Their later calls
 * are only counted here. */
struct kymo_throttled { /* complete when calls is not 0 */
	uint32_t id;
	uint32_t reserved;
	uint64_t since; /* ticks */
	uint64_t calls; /* while the recording is open, some tenths of a second late */
	uint64_t reserved2;
};
_Static_assert(sizeof(struct kymo_throttled) == 32, "record of a throttled function");

#endif
