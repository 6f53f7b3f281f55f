/* The MPI rank of a recorded process.  Context: any. */
#ifndef KYMO_RECORDING_RANK_H
#define KYMO_RECORDING_RANK_H

#include "model/recording/recording.h"

/* -1 = none, or an impossible one.  Processes that a rank started have its rank. */
int32_t recording_rank(const struct recording *recording);

/* Size of the job; 0 = not known. */
uint32_t recording_rank_count(const struct recording *recording);

#endif
