/* Stacks as ids: each frame is found by its caller's id, in a table that is private to the
 * thread.  Context: signal. */
#ifndef KYMO_SAMPLER_STACKS_H
#define KYMO_SAMPLER_STACKS_H

#include <stdint.h>

struct sampler_thread;
struct sampler_stacks;

/* Id of path[0, count), outermost first; 0 = it could not be stored. */
uint32_t sampler_stack_id(struct sampler_thread *self, const uint64_t *path, uint32_t count);
/* Drop what belongs to a closed recording. */
void sampler_stacks_reset(struct sampler_stacks *stacks);

#endif
