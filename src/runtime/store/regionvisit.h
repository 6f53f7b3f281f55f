/* Visits of no length, for what is too short to be timed: counted in the tree, one reading of the
 * clock in the trace. */
#ifndef KYMO_REGIONVISIT_H
#define KYMO_REGIONVISIT_H

#include <stdint.h>

#include "runtime/runtime.h"

struct kymo_thread;

/* Both at once, for a call that is shorter than reading the clock: counted, with no length. */
KYMO_EXPORT void kymo_region_visit(struct kymo_thread *thread, uint32_t region);

#endif
