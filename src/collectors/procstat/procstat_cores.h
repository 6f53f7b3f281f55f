/* Which cores are read.  Selected before the thread begins. */
#ifndef KYMO_PROCSTAT_CORES_H
#define KYMO_PROCSTAT_CORES_H

#include <stdbool.h>

#define PROCSTAT_CORES_MAX 1024u

/* "0,4-7" as in SAMPLING_CPUS; "" = all.  False: invalid list. */
bool procstat_cores_choose(const char *list);
bool procstat_core_is_chosen(unsigned core);

#endif
