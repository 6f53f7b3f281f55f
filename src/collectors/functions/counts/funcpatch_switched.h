/* Pre-emption: how long the thread was ready without a processor, to be subtracted from the times
 * of timed calls.
 *
 * The kernel counts a thread's context switches and its CPU time; the clock advances meanwhile.
 * Both are read from time to time, after timed calls that are long enough for a switch.  If there
 * was an involuntary switch between two readings, and no voluntary one, the difference between
 * clock and CPU time is pre-emption.
 *
 * A thread's own memory.  Context: hook; a reading makes system calls. */
#ifndef KYMO_FUNCPATCH_SWITCHED_H
#define KYMO_FUNCPATCH_SWITCHED_H

#include <stdbool.h>
#include <stdint.h>

/* At most one part in so many of the time is spent on readings: 0.5 %. */
#define SWITCHED_SHARE 200u
/* So many may follow each other immediately, after a time without any. */
#define SWITCHED_SPARE 16u
/* A reading that took so many times longer than usual was probably pre-empted itself. */
#define SWITCHED_MORE  4u
/* Number of initial readings, of which the fastest gives the cost of one: if a single one were
 * used and pre-empted, the next would be due only after a second. */
#define SWITCHED_FIRST 3u

struct switched {			  /* of a thread; initially zero */
	uint64_t ticks, wall_ns, used_ns; /* at the latest reading: time, and CPU time until then */
	uint64_t voluntary, forced;	  /* switches until then */
	uint64_t off_ticks;		  /* the sum of all known pre-emption */
	uint64_t cost_ticks;  /* recent cost of a reading, rather underestimated: its system calls
				 are slow in some sandboxes */
	uint64_t spare_ticks; /* budget saved for readings until the next one */
};

static inline uint64_t switched_spare(const struct switched *switched, uint64_t now)
{
	uint64_t spare = switched->spare_ticks + (now - switched->ticks) / SWITCHED_SHARE;
	uint64_t most = switched->cost_ticks * SWITCHED_SPARE;

	return spare < most ? spare : most;
}

/* May a reading be made now? */
static inline bool switched_is_due(const struct switched *switched, uint64_t now)
{
	return switched_spare(switched, now) >= switched->cost_ticks;
}

/* Charge a reading that began at start and took ticks. */
static inline void switched_pay(struct switched *switched, uint64_t start, uint64_t ticks)
{
	uint64_t before = switched->cost_ticks, most = before * SWITCHED_MORE;
	uint64_t spare = switched_spare(switched, start);

	if (before == 0 || ticks < before)
		switched->cost_ticks = ticks;
	else
		switched->cost_ticks = (3 * before + (ticks < most ? ticks : most)) / 4;
	switched->spare_ticks = spare > switched->cost_ticks ? spare - switched->cost_ticks : 0;
}

void switched_read(struct switched *switched);

#endif
