/* Visits without a length, for calls too short to be timed: counted in the tree, one clock reading
 * in the trace. */
#ifndef KYMO_REGIONVISIT_H
#define KYMO_REGIONVISIT_H

#include <stdint.h>

#include "runtime/runtime.h"

struct kymo_thread;

/* Enter and leave, for a call that is shorter than a clock reading: counted, with no length. */
KYMO_EXPORT void kymo_region_visit(struct kymo_thread *thread, uint32_t region);

#endif
