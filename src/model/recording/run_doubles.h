/* Recordings of a run that contain the same processes: each process counts once. */
#ifndef KYMO_RUN_DOUBLES_H
#define KYMO_RUN_DOUBLES_H

#include "model/recording/run.h"

/* Free recordings that would count twice, with a line in the run's problems for each.  Merged
 * recordings of most processes are kept first; of equals, the first ones.  KYMO_OK, or KYMO_MEMORY
 * with nothing freed. */
enum kymo_status run_leave_out_doubles(struct run *run, struct problem *problem);

#endif
