/* Which counters there are, for `kymo avail -H` and for validating settings that name one. */
#ifndef KYMO_COUNTER_NAMES_H
#define KYMO_COUNTER_NAMES_H

#include "base/status.h"
#include "cli/avail/avail_list.h"
#include "config/settings.h"

/* Every counter with whether it is available here, and why not.  Loads PAPI. */
void avail_counters(struct avail_list *list);

/* KYMO_USAGE, with the nearest names, when PAPI_EVENTS or SAMPLING_OVERFLOW_EVENT names one that
 * neither the kernel nor PAPI knows.  A known but unavailable one is not an error here: the
 * recording reports it. */
enum kymo_status counters_check(const struct settings *settings, struct problem *problem);

#endif
