/* The machine and the process over time: what libkymo-procstat.so reads.
 *
 * A thread of our own reads the sources of a table, one after the other, and appends what has
 * changed to series.  All of this folder belongs to that thread.  Nothing allocates, and files are
 * kept open where they cannot be mistaken for the program's. */
#ifndef KYMO_PROCSTAT_H
#define KYMO_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat_source {
	const char *name; /* for notes: "the frequency of the cores" */
	bool is_machine;  /* read in the process alone that the run began with */
	double most_hz;	  /* nothing new is to be had more often; 0 = as often as is asked for */
	/* Find what there is to read, also anew in a forked child; false: nothing, and why, or
	 * NULL where nobody asked for it. */
	bool (*open)(const char **why_out);
	void (*read)(void);
};

extern const struct procstat_source *const procstat_sources[];
extern const size_t procstat_source_count;

extern const struct procstat_source procstat_cgroup, procstat_children, procstat_counters,
	procstat_cpu, procstat_energy, procstat_files, procstat_frequency, procstat_io,
	procstat_load, procstat_network, procstat_peak, procstat_pressure, procstat_process,
	procstat_temperature, procstat_threads;

/* From a list of events those that can be read here; the others are left to others. */
void procstat_counters_choose(const char *list);

#endif
