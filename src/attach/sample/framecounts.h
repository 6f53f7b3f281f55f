/* Counts of functions and threads over the last interval, for the live table of `kymo top`.  One
 * thread; uses malloc. */
#ifndef KYMO_FRAMECOUNTS_H
#define KYMO_FRAMECOUNTS_H

#include "attach/sample/framenames.h"

struct framecount {		      /* of one function */
	const char *function, *file;  /* owned by the names */
	uint32_t line;		      /* first of the function */
	uint64_t self, total;	      /* since the beginning: it was innermost; anywhere on the
				       * stack */
	uint64_t self_now, total_now; /* in this interval */
	uint64_t seen;		      /* sample in which it was last counted */
};

struct framecounts {
	struct framenames *names;
	struct framecount *functions;
	size_t count, capacity;
	struct hashset index;	       /* function -> entry + 1 */
	struct hashset frames;	       /* frame word -> entry + 1 */
	uint64_t samples, samples_now; /* of threads; those that are counted */
	uint64_t observations, observations_now;
	uint64_t gil_held, gil_held_now; /* observations in which a thread held it */
	uint64_t gil_waits_now, active_now, lost, lost_now;
	bool is_gil_seen; /* in the current observation */
};

void framecounts_init(struct framecounts *counts, struct framenames *names);
void framecounts_release(struct framecounts *counts);

/* Count one observation of a thread, then the others of the same time; then end it. */
void framecounts_add(struct framecounts *counts, const struct watch_thread *thread,
		     bool has_waiting);
void framecounts_end_observation(struct framecounts *counts);
/* Begin the next interval. */
void framecounts_next_interval(struct framecounts *counts);

#endif
