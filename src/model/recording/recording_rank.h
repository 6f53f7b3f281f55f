/* Which rank of MPI a recorded process was.  Context: any. */
#ifndef KYMO_RECORDING_RANK_H
#define KYMO_RECORDING_RANK_H

#include "model/recording/recording.h"

/* -1 = none, or none that can be.  Processes that a rank started have its rank. */
int32_t recording_rank(const struct recording *recording);

/* How many ranks its program was started with; 0 = it does not say. */
uint32_t recording_rank_count(const struct recording *recording);

#endif
