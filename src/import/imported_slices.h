/* Samples of a thread as merged slices: a frame in consecutive samples is one slice. Sorts the
 * samples. */
#ifndef KYMO_IMPORTED_SLICES_H
#define KYMO_IMPORTED_SLICES_H

#include "import/imported.h"

/* node: is entered; 0: the innermost one is left. */
typedef void (*slice_fn)(void *context, int64_t ns, uint32_t node);

/* KYMO_OK or KYMO_MEMORY. */
enum kymo_status imported_slices(struct imported *imported, uint32_t thread, slice_fn put,
				 void *context);

#endif
