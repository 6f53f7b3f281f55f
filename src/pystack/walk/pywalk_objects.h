/* Frames up to 3.10: PyFrameObjects, each on the heap.  Context: any. */
#ifndef KYMO_PYWALK_OBJECTS_H
#define KYMO_PYWALK_OBJECTS_H

#include "pystack/pystack.h"

struct pywalk;

/* The frames of walk->thread into walk->frames, from walk->count on, by its reader. */
enum pystack_status pywalk_objects(struct pywalk *walk);

/* Up to 3.10, if not all frames have a c_address: the frame object of the outermost one; else 0. */
uint64_t pystack_outermost_object(const struct pyruntime *runtime, const struct pymemory *memory,
				  uint64_t thread);

#endif
