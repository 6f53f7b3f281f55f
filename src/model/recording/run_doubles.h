/* Recordings of a run that hold the same processes: each counts once. */
#ifndef KYMO_RUN_DOUBLES_H
#define KYMO_RUN_DOUBLES_H

#include "model/recording/run.h"

/* Free what would count twice, with a line among the run's problems for each.  Merged recordings of
 * most processes are kept before others; of equals, those that come first.  KYMO_OK or
 * KYMO_MEMORY: then nothing was freed. */
enum kymo_status run_leave_out_doubles(struct run *run, struct problem *problem);

#endif
