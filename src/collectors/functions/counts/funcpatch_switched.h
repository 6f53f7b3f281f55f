/* Pre-emption: how long the thread was ready without a processor, to be taken out of the times of
 * timed calls.
 *
 * The kernel counts a thread's context switches and its CPU time; the clock advances meanwhile.
 * Both are read from time to time, after timed calls that are long enough for a switch.  If there
 * was an involuntary switch between two readings, and no voluntary one, the difference between
 * clock and CPU time is pre-emption.
 *
 * A thread's own memory.  Context: hook; looking makes system calls. */
#ifndef KYMO_FUNCPATCH_SWITCHED_H
#define KYMO_FUNCPATCH_SWITCHED_H

#include <stdbool.h>
#include <stdint.h>

/* Of the time, one part in so many goes to looks at most: 0.5 %. */
#define SWITCHED_SHARE 200u
/* So many may follow each other at once, where none was needed before. */
#define SWITCHED_SPARE 16u
/* A look that took more times what it did before was switched itself, say. */
#define SWITCHED_MORE  4u
/* So many looks are taken at first, of which the quickest says what one costs: were the thread
 * switched in a single one, the next would be due after a second. */
#define SWITCHED_FIRST 3u

struct switched { /* of a thread; zero at first */
	uint64_t ticks, wall_ns,
		used_ns;	    /* of the latest look: when, and what it had run until then */
	uint64_t voluntary, forced; /* switches until then */
	uint64_t off_ticks;	    /* made: all that is known of */
	uint64_t cost_ticks;	    /* what a look takes, of late, less rather than more: its system
				     * calls are slow in some sandboxes */
	uint64_t spare_ticks;	    /* that looks may take beside what comes until the next one */
};

static inline uint64_t switched_spare(const struct switched *switched, uint64_t now)
{
	uint64_t spare = switched->spare_ticks + (now - switched->ticks) / SWITCHED_SHARE;
	uint64_t most = switched->cost_ticks * SWITCHED_SPARE;

	return spare < most ? spare : most;
}

/* May a look be paid at now? */
static inline bool switched_is_due(const struct switched *switched, uint64_t now)
{
	return switched_spare(switched, now) >= switched->cost_ticks;
}

/* A look that began at start took ticks, and is paid. */
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

void switched_look(struct switched *switched);

#endif
