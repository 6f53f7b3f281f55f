/* kymo ctl RUN snapshot: recordings copied while they are written. */
#ifndef KYMO_CTL_SNAPSHOT_H
#define KYMO_CTL_SNAPSHOT_H

#include "base/status.h"

struct ctl_run;

/* Copy all recordings in their current state into directory, which is made, or into a new one in
 * the run if it is NULL, and write the outputs of the copy.  Returns its path, which the caller
 * frees. */
enum kymo_status ctl_snapshot(const struct ctl_run *run, const char *directory, char **path_out,
			      struct problem *problem);

#endif
