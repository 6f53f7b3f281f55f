/* The byte stream of one thread's samples, in chunks that only this thread writes.  Context:
 * signal. */
#ifndef KYMO_SAMPLER_STREAM_H
#define KYMO_SAMPLER_STREAM_H

#include <stdbool.h>

struct sample_record;
struct sampler_thread;

/* False: there is no space, and the loss is counted if it is a sample. */
bool sampler_stream_put(struct sampler_thread *self, const struct sample_record *record);
/* Record what was lost since the latest record.  Its handler does not run. */
void sampler_stream_end(struct sampler_thread *self);

#endif
