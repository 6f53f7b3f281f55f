/* The interrupted thread's name in Python.  Context: signal. */
#ifndef KYMO_SAMPLER_NAMES_H
#define KYMO_SAMPLER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct pyframe;
struct pyruntime;
struct sampler_thread;

/* Whether to read its name in this sample: rarely, and ever more so. */
bool sampler_name_is_due(struct sampler_thread *self);
/* Record the name that Python has for the thread, which is stopped: from its outermost frame, at
 * address. */
void sampler_name_read(struct sampler_thread *self, const struct pyruntime *runtime,
		       const struct pyframe *outermost, uint64_t address);

#endif
