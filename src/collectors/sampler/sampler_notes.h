/* The notes at the end: what was not sampled, what was lost, and the cost. */
#ifndef KYMO_SAMPLER_NOTES_H
#define KYMO_SAMPLER_NOTES_H

#include <stdint.h>

struct sampler_thread;

struct sampler_totals { /* atomic */
	uint64_t unsampled_threads, closed_events, torn, lost, cost_ticks, cost_count;
	double ns_per_tick; /* as any thread saw it */
};
extern struct sampler_totals sampler_totals;

/* Add what a thread did. */
void sampler_totals_add(struct sampler_thread *state);
void sampler_notes_write(void);

#endif
