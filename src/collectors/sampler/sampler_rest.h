/* Sleeping threads are not woken for each sample: the samples they missed are written when they
 * wake. */
#ifndef KYMO_SAMPLER_REST_H
#define KYMO_SAMPLER_REST_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_thread;
struct sample_record;
/* Of a thread that begins. */
void sampler_rest_reset(struct sampler_thread *self);
/* Before a sample is recorded: those that the thread slept through.  Context: signal. */
void sampler_rest_catch_up(struct sampler_thread *self, const struct sample_record *record,
			   uint64_t cpu_ns);
/* Where the thread is left to sleep undisturbed, *period becomes what it is woken after, at least.
 * Context: signal. */
void sampler_rest_begin(struct sampler_thread *self, uint64_t *period);
/* Those that any thread slept through so far; its handler does not run. */
void sampler_rest_flush(struct sampler_thread *state);
/* Stop its guard until it is needed again; end it. */
void sampler_rest_pause(struct sampler_thread *state);
void sampler_rest_end(struct sampler_thread *state);

#endif
