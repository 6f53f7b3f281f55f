/* What is sampled, from the settings. */
#ifndef KYMO_SAMPLER_PLAN_H
#define KYMO_SAMPLER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_threads;

/* False if nothing is sampled.  Context: init. */
bool sampler_plan_read(void);
/* Whether the thread with that number is selected.  Context: any. */
bool sampler_threads_has(const struct sampler_threads *threads, uint32_t number);

#endif
