/* The machine and the process over time: what libkymo-procstat.so reads.
 *
 * A helper thread reads the sources of a table, one after the other, and appends what has
 * changed to series.  All of this folder belongs to that thread.  Nothing allocates, and files
 * are kept open if their descriptors are not shared with the program. */
#ifndef KYMO_PROCSTAT_H
#define KYMO_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat_source {
	const char *name; /* for notes: "the frequency of the cores" */
	bool is_machine;  /* read only in the process that the run began with */
	double most_hz;	  /* highest useful rate; 0 = as often as requested */
	/* Determine what there is to read, also again in a forked child; false: nothing, and
	 * why, or NULL if it was not requested. */
	bool (*open)(const char **why_out);
	void (*read)(void);
};

extern const struct procstat_source *const procstat_sources[];
extern const size_t procstat_source_count;

extern const struct procstat_source procstat_cgroup, procstat_children, procstat_counters,
	procstat_cpu, procstat_energy, procstat_files, procstat_frequency, procstat_io,
	procstat_load, procstat_network, procstat_peak, procstat_pressure, procstat_process,
	procstat_temperature, procstat_threads;

/* Select from a list the events that can be read here; the others are ignored. */
void procstat_counters_choose(const char *list);

#endif
