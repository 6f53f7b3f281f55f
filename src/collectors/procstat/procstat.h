/* The machine and the process over time: what the parts of libkymo-procstat.so share.
 *
 * A thread of our own reads the sources of a table, one after the other, and appends what has
 * changed to series.  All of this belongs to that thread.  Nothing allocates, and files are
 * kept open where they cannot be mistaken for the program's. */
#ifndef KYMO_PROCSTAT_H
#define KYMO_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/scan.h"

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

/* Files: procstat_file.c. */

#define PROCSTAT_PATH 192

struct procstat_file {
	int fd; /* -1 = closed */
	char path[PROCSTAT_PATH];
};

/* Below root files are found that are at /proc and /sys by default; is_kept: descriptors may
 * be kept open. */
void procstat_files_begin(const char *root, bool is_kept);
bool procstat_files_are_kept(void);
/* printf(3)'s %s, %u and %% alone.  True when the file can be read now. */
bool procstat_file_open(struct procstat_file *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void procstat_file_close(struct procstat_file *file);
/* What it holds now; the text is valid until the next call.  Length 0: it cannot be read. */
struct scan procstat_file_read(struct procstat_file *file);
/* What reading itself has read, which the kernel counts as the program's. */
void procstat_files_own(uint64_t *bytes_out, uint64_t *calls_out);
/* Its first number. */
bool procstat_file_number(struct procstat_file *file, uint64_t *value_out);
/* Its first line, to be kept; false when there is none or it is longer. */
bool procstat_file_line(struct procstat_file *file, char *line_out, size_t size);
/* The folder's names one after the other, in the order of the kernel; found returns false to
 * end it.  False: there is no such folder. */
bool procstat_folder_walk(const char *path, bool (*found)(const char *name, void *context),
			  void *context);
/* The folder as it stands: its number of entries and of links; 0 = unknown. */
void procstat_folder_counts(const char *path, uint64_t *entries_out, uint64_t *links_out);
/* As snprintf(3), with %s, %u and %% alone. */
void procstat_format(char *text_out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Series: procstat_series.c. */

struct procstat_series {
	uint32_t id; /* 0 = none */
	bool is_off; /* of a category that is not recorded */
	bool has_last;
	double last;
};

/* All series begin anew, in a new recording. */
void procstat_series_begin(void);
/* The moment that values are of from here on. */
void procstat_series_now(uint64_t ticks, uint64_t now_ns);
uint64_t procstat_now_ns(void);
/* Nanoseconds since the source before was read, for rates; 0 = this is the first time. */
void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...) __attribute__((format(printf, 3, 4)));
void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A value stands until the next one that differs. */
void procstat_put(struct procstat_series *series, double value);

/* A number that only grows, counted from where it was when it was first read. */
struct procstat_growth {
	bool has_first;
	uint64_t first;
};
double procstat_grown(struct procstat_growth *growth, uint64_t value);

#define PROCSTAT_CORES_MAX 1024u

/* "0,4-7" as SAMPLING_CPUS has it; "" = all.  False: it is no such list. */
bool procstat_cores_choose(const char *list);
bool procstat_core_is_chosen(unsigned core);

/* From a list of events those that can be read here; the others are left to others. */
void procstat_counters_choose(const char *list);

/* The thread: procstat_thread.c. */

struct procstat_plan {
	uint64_t period_ns, delay_ns, duration_ns; /* duration 0 = to the end */
	char root[PROCSTAT_PATH];
};

/* Begin to read; once.  Context: init. */
void procstat_begin(const struct procstat_plan *plan);

#endif
