/* Which cores are read.  Chosen before the thread begins. */
#ifndef KYMO_PROCSTAT_CORES_H
#define KYMO_PROCSTAT_CORES_H

#include <stdbool.h>

#define PROCSTAT_CORES_MAX 1024u

/* "0,4-7" as SAMPLING_CPUS has it; "" = all.  False: it is no such list. */
bool procstat_cores_choose(const char *list);
bool procstat_core_is_chosen(unsigned core);

#endif
