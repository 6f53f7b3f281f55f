/* kymo ctl RUN snapshot: recordings copied while they are written. */
#ifndef KYMO_CTL_SNAPSHOT_H
#define KYMO_CTL_SNAPSHOT_H

#include "base/status.h"

struct ctl_run;

/* Copies of all recordings as they are now, in directory, which is made, or in a new one in
 * the run when it is NULL.  Its path, which the caller frees, and the outputs of it. */
enum kymo_status ctl_snapshot(const struct ctl_run *run, const char *directory, char **path_out,
			      struct problem *problem);

#endif
