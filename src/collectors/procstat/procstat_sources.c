/* The sources, in the order in which they are read.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"

const struct procstat_source *const procstat_sources[] = {
	&procstat_process,   &procstat_threads, &procstat_counters,    &procstat_io,
	&procstat_files,     &procstat_peak,	&procstat_children,    &procstat_cpu,
	&procstat_frequency, &procstat_network, &procstat_load,	       &procstat_cgroup,
	&procstat_pressure,  &procstat_energy,	&procstat_temperature,
};
const size_t procstat_source_count = sizeof(procstat_sources) / sizeof(*procstat_sources);
