/* What is to be sampled, as the settings have it. */
#ifndef KYMO_SAMPLER_PLAN_H
#define KYMO_SAMPLER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct sampler_threads;

/* False when nothing is to be sampled.  Context: init. */
bool sampler_plan_read(void);
/* Whether the thread of that number is one of them.  Context: any. */
bool sampler_threads_has(const struct sampler_threads *threads, uint32_t number);

#endif
