/* Errors of calls and times of counted functions, as stored in a merged recording: it no longer has
 * the data they were estimated from.  Not thread-safe; allocates nothing. */
#ifndef KYMO_ESTIMATES_STORED_H
#define KYMO_ESTIMATES_STORED_H

#include "model/tree/flat_stored.h"

/* The next one, in file order; false at the end.  Its thread, region and caller exist in the
 * recording; position begins as zeros. */
bool estimates_stored_next(const struct recording *recording, struct chunk_position *position,
			   struct kymo_estimate *out);

#endif
