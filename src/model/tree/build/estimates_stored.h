/* How far off calls and times of counted functions may be, as a merged recording tells it: what
 * they were estimated from is not in it any more.  Not thread-safe; allocates nothing. */
#ifndef KYMO_ESTIMATES_STORED_H
#define KYMO_ESTIMATES_STORED_H

#include "model/tree/flat_stored.h"

/* The next one, in file order; false at the end.  Its thread, region and caller are the
 * recording's; position begins as zeros. */
bool estimates_stored_next(const struct recording *recording, struct chunk_position *position,
			   struct kymo_estimate *out);

#endif
