/* The notes at the end: what was not sampled, what was lost, and the cost. */
#ifndef KYMO_SAMPLER_NOTES_H
#define KYMO_SAMPLER_NOTES_H

#include <stdint.h>

struct sampler_thread;

struct sampler_totals { /* atomic */
	uint64_t unsampled_threads, closed_events, torn, lost, cost_ticks, cost_count;
	double ns_per_tick; /* from any thread */
};
extern struct sampler_totals sampler_totals;

/* Add the totals of a thread. */
void sampler_totals_add(struct sampler_thread *state);
void sampler_notes_write(void);

#endif
