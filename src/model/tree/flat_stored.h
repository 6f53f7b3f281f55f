/* The sums of regions, and of the calls of a region by a caller, that an imported recording's
 * source reported itself.  Not thread-safe; allocates nothing. */
#ifndef KYMO_FLAT_STORED_H
#define KYMO_FLAT_STORED_H

#include "model/recording/chunks.h"

/* The next one of these threads (NULL = all), in file order; false at the end.  Its thread, region
 * and caller exist in the recording. */
bool flat_stored_next(const struct recording *recording, const bool *threads,
		      struct chunk_position *position, struct kymo_total *out);

#endif
