/* The call-path tree of one recording: every thread's tree in one array, in nanoseconds, with self
 * times and ordered children.
 *
 * Overhead, as far as it was calibrated, is excluded from the times, unless the recording has
 * is_raw.  Made from the recorded trees, or replayed from the trace if no tree was recorded.  Open
 * nodes count the time up to the recording's end and are marked. */
#ifndef KYMO_CALLTREE_H
#define KYMO_CALLTREE_H

#include "model/tree/calltree_types.h"
#include "model/tree/flat_types.h"

enum kymo_status calltree_new(const struct recording *recording, struct calltree **out,
			      struct problem *problem);
void calltree_free(struct calltree *tree);

#endif
