/* The sampling interval of a counted function: its first calls are all timed, then one in so many,
 * at random so that sampling is not in step with the program.
 *
 * In a program of many functions most timed calls are among the first of their functions, with cold
 * code and tables: timing these costs more than all the counting.  So fewer of them are timed if
 * timing is expensive compared with the calls and the counting.
 *
 * Context: any.  Nothing here allocates or calls. */
#ifndef KYMO_FUNCPATCH_INTERVAL_H
#define KYMO_FUNCPATCH_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#define INTERVAL_FIRST		 64u
#define INTERVAL_MAX		 4096u
/* So many first calls of a function are all timed, so that rarely called functions have exact
 * times. */
#define INTERVAL_ALL_TIMED	 8u
#define INTERVAL_ALL_TIMED_CHEAP 16u

struct timing_tally {		   /* of a thread: the cost of its timed calls */
	uint64_t timed, stood_for; /* how many these were, and how many calls they represent */
	uint64_t since;		   /* ticks: when it began */
	uint64_t of_long;	   /* calls timed because all calls of their functions are */
};

/* Timing is cheap while so few calls were timed, … */
#define INTERVAL_CHEAP_TIMED 8192u
/* … or at most one in so many is, … */
#define INTERVAL_CHEAP_CALLS 256u
/* … or for functions that take so many times what timing takes. */
#define INTERVAL_CHEAP_TIMES 400u
/* In multiples of what timing takes: timing all calls of such a length costs little of it. */
#define INTERVAL_LONG_TIMES  2048u

/* So long after the latest timed call, in ticks, the code and data of timing may be cold, for
 * example because other processes ran. */
#define INTERVAL_COLD_TICKS (UINT64_C(1) << 19)

/* The time of a call timed after a long pause is mostly that of cold caches, and not
 * representative of the function, of which one call per interval is timed. */
static inline bool interval_is_cold(uint32_t sampling_interval, uint64_t ticks_since)
{
	return sampling_interval > 1 && ticks_since >= INTERVAL_COLD_TICKS;
}

/* ended calls of the function took ticks; an empty one takes timing_ticks. */
static inline bool interval_is_cheap(const struct timing_tally *thread, uint64_t ended,
				     uint64_t ticks, uint64_t timing_ticks)
{
	return thread->timed * INTERVAL_CHEAP_CALLS <=
		       thread->stood_for + INTERVAL_CHEAP_TIMED * INTERVAL_CHEAP_CALLS ||
	       (ended > 0 && ticks / INTERVAL_CHEAP_TIMES >= ended * timing_ticks);
}

/* All calls of a long function are timed: so its time is exact, which a few long calls would not
 * represent.  At most one in such a time: recursion has long calls that do little themselves. */
static inline bool interval_is_long(const struct timing_tally *thread, uint64_t ended,
				    uint64_t ticks, uint64_t timing_ticks, uint64_t now)
{
	uint64_t length = INTERVAL_LONG_TIMES * timing_ticks;

	return ended > 0 && length > 0 && ticks / length >= ended &&
	       thread->of_long < (now - thread->since) / length;
}

/* The sampling interval of a function after so many timed calls, lately one per interval
 * (initially 1): the more were timed the better its mean is known.  It never falls, because the
 * known variance is assumed to hold with the largest weight. */
static inline uint32_t interval_next(uint32_t sampling_interval, uint64_t timed, bool is_cheap)
{
	if (sampling_interval <= 1 &&
	    timed < (is_cheap ? INTERVAL_ALL_TIMED_CHEAP : INTERVAL_ALL_TIMED))
		return 1;
	if (sampling_interval <= 1)
		sampling_interval = INTERVAL_FIRST;
	while (sampling_interval < INTERVAL_MAX &&
	       timed >= (is_cheap ? 4 * sampling_interval : sampling_interval / 8))
		sampling_interval *= 2;
	return sampling_interval;
}

#endif
