/* Sleeping threads are not woken for each sample: the samples they missed are written when they
 * wake. */
#ifndef KYMO_SAMPLER_REST_H
#define KYMO_SAMPLER_REST_H

#include <stdbool.h>
#include <stdint.h>

struct sampled;
struct sample_record;
/* Of a thread that begins. */
void sampler_rest_reset(struct sampled *self);
/* Before a sample is recorded: those that the thread slept through.  Context: signal. */
void sampler_rest_meet(struct sampled *self, const struct sample_record *record, uint64_t cpu_ns);
/* Where the thread is left to sleep undisturbed, *period becomes what it is woken after, at least.
 * Context: signal. */
void sampler_rest_begin(struct sampled *self, uint64_t *period);
/* Those that any thread slept through so far; its handler does not run. */
void sampler_rest_flush(struct sampled *state);
/* Stop its guard until it is needed again; end it. */
void sampler_rest_pause(struct sampled *state);
void sampler_rest_end(struct sampled *state);

#endif
