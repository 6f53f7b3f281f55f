/* Series: numbers over time. */
#ifndef KYMO_SERIESTABLE_H
#define KYMO_SERIESTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/runtime.h"

void series_restore(void);
/* Id of a series, 0 = none could be made; points are dropped for id 0. */
KYMO_EXPORT uint32_t kymo_series_define(const char *name, const char *unit, bool per_thread);
KYMO_EXPORT void kymo_series_append(uint32_t series, double value);
/* As kymo_series_define(), for any thread by its number, or KYMO_NO_THREAD. */
KYMO_EXPORT uint32_t kymo_series_define_for(const char *name, const char *unit, uint32_t thread);

#endif
