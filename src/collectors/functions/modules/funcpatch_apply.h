/* Instrumenting modules that were found.  Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_APPLY_H
#define KYMO_FUNCPATCH_APPLY_H

#include <stddef.h>

#include "collectors/functions/modules/funcpatch_found.h"

/* Instrument these modules; missing plans are made first.  Failures are reported once
 * (funcpatch_complain()). */
void funcpatch_apply(struct funcpatch_found *found, size_t count);

#endif
