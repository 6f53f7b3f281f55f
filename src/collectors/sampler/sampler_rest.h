/* Sleeping threads are not woken for each sample: the samples they missed are written when they
 * wake. */
#ifndef KYMO_SAMPLER_REST_H
#define KYMO_SAMPLER_REST_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_thread;
struct sample_record;
/* Initialise it for a new thread. */
void sampler_rest_reset(struct sampler_thread *self);
/* Before a sample is recorded: write those that the thread slept through.  Context: signal. */
void sampler_rest_catch_up(struct sampler_thread *self, const struct sample_record *record,
			   uint64_t cpu_ns);
/* If the thread is not to be woken, *period becomes its minimum time until the next signal.
 * Context: signal. */
void sampler_rest_begin(struct sampler_thread *self, uint64_t *period);
/* Write those that any thread slept through so far; its handler does not run. */
void sampler_rest_flush(struct sampler_thread *state);
/* Stop its guard timer until it is needed again; delete it. */
void sampler_rest_pause(struct sampler_thread *state);
void sampler_rest_end(struct sampler_thread *state);

#endif
