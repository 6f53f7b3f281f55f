/* Which MPI ranks write files and print: the settings RANK_FILTER_OUTPUT, _LOGS and _ID. The rank
 * comes from the environment of the run's first process.  Context: init. */
#ifndef KYMO_RANK_FILTER_H
#define KYMO_RANK_FILTER_H

#include <stdbool.h>

#include "config/settings.h"
#include "model/recording/recording.h"

/* Rank of the recording's process; -1 = unknown or invalid. */
long rank_of(const struct recording *recording, const struct settings *settings);

/* Is rank among "0,4-7"?  Also true if the list is empty or the rank is unknown: parts of the list
 * that are neither a rank nor a range are ignored. */
bool rank_is_listed(const char *list, long rank);

#endif
