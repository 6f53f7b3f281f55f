/* Which MPI ranks write files and print: the settings RANK_FILTER_OUTPUT, _LOGS and _ID.
 * The rank is what the environment of the run's first process said.  Context: init. */
#ifndef KYMO_RANK_FILTER_H
#define KYMO_RANK_FILTER_H

#include <stdbool.h>

#include "config/settings.h"
#include "model/recording/recording.h"

/* Rank of the recording's process; -1 = none is known, or none that can be. */
long rank_of(const struct recording *recording, const struct settings *settings);

/* Is rank among "0,4-7"?  True, too, where the list or the rank says nothing: parts of the
 * list that are neither a rank nor a range count as not there. */
bool rank_is_listed(const char *list, long rank);

#endif
