/* The reading thread: when it begins, reads and ends, and which sources it opens. */
#ifndef KYMO_PROCSTAT_THREAD_H
#define KYMO_PROCSTAT_THREAD_H

#include <stdint.h>

#include "collectors/procstat/procstat_file.h"

struct procstat_plan {
	uint64_t period_ns, delay_ns, duration_ns; /* duration 0 = to the end */
	char root[PROCSTAT_PATH];
};

/* Start the thread; once.  Context: init. */
void procstat_begin(const struct procstat_plan *plan);

#endif
