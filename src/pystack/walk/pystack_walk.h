/* Walks: the common part for both kinds of frames. */
#ifndef KYMO_PYSTACK_WALK_H
#define KYMO_PYSTACK_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "pystack/pystack.h"

struct pymemory;
struct pyruntime;

/* Thread state of the calling thread, 0 = none.  Context: any. */
uint64_t pyruntime_this_thread(const struct pyruntime *runtime);
/* The frames of a thread state. */
enum pystack_status pystack_walk(const struct pyruntime *runtime, const struct pymemory *memory,
				 uint64_t thread, struct pyframe *frames, size_t capacity,
				 size_t *count_out);

/* The same, with the address of each frame: a PyFrameObject up to 3.10, else an interpreter
 * frame. */
enum pystack_status pystack_walk_addresses(const struct pyruntime *runtime,
					   const struct pymemory *memory, uint64_t thread,
					   struct pyframe *frames, uint64_t *addresses,
					   size_t capacity, size_t *count_out);

#endif
