/* Which counters there are, for `kymo avail -H` and for those that name one. */
#ifndef KYMO_COUNTER_NAMES_H
#define KYMO_COUNTER_NAMES_H

#include "base/status.h"
#include "cli/avail/avail_list.h"
#include "config/settings.h"

/* Every counter with whether it can be had here, and why not.  PAPI is loaded for it. */
void avail_counters(struct avail_list *list);

/* KYMO_USAGE, with the nearest names, when PAPI_EVENTS or SAMPLING_OVERFLOW_EVENT names one
 * that neither the kernel nor PAPI knows.  What is known but cannot be had here is not an
 * error: the recording says it. */
enum kymo_status counters_check(const struct settings *settings, struct problem *problem);

#endif
