/* kymo ctl RUN status: one row per process. */
#ifndef KYMO_CTL_STATUS_H
#define KYMO_CTL_STATUS_H

#include <stdbool.h>

struct ctl_run;

/* One row per process, as a table or as JSON. */
void ctl_status(const struct ctl_run *run, bool is_json);

#endif
