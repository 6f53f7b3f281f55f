/* Exporters: a run, or the selected part of it, in another tool's format.
 *
 * Each format is one file, export_<name>.c, and one line in exporters.def.  An exporter
 * reads the run once, in bounded memory where the format allows it, and writes into the
 * sink; it never opens, names or closes files.  Everything here belongs to the caller
 * and must outlive the call.  One thread per call; no global state. */
#ifndef KYMO_EXPORT_FORMATS_H
#define KYMO_EXPORT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/recording/run.h"

struct export_sink;

struct export_options {
	uint32_t process;     /* only the process with this pid; 0 = all */
	uint32_t thread;      /* only the thread with this number; KYMO_NO_THREAD = all */
	const char *filter;   /* only regions whose label matches this POSIX extended regular
				 expression; NULL = all.  Time of the others is self time of the
				 nearest kept caller in trees, and absent from tables and timelines */
	bool has_annotations; /* perfetto, chrome: file, line and more with each slice */
	bool prefers_samples; /* also for a recording with calls */
	/* Of samples: each line of a function is a frame of its own; inlined functions are frames;
	 * query the servers of $DEBUGINFOD_URLS. */
	bool has_lines, has_inlines, uses_debuginfod;
	/* Graphs: leave out functions and calls with less of the time; percent. */
	double node_threshold, edge_threshold;
	/* Limit for files, not for pipes and devices: KYMO_LIMIT if it would be exceeded; 0 = no
	 * limit. */
	uint64_t most_bytes;
};

#define EXPORT_OPTIONS_DEFAULT                                                                     \
	{                                                                                          \
		.thread = KYMO_NO_THREAD, .has_annotations = true, .node_threshold = 0.5,          \
		.edge_threshold = 0.1                                                              \
	}

struct exporter {
	const char *name;	 /* as on the command line: "perfetto" */
	const char *extension;	 /* of the file, without dot: "pftrace" */
	const char *description; /* one line: its content and the tools that open it */
	bool is_binary;		 /* must not be written to a terminal */
	/* Write the whole document.  The sink reports its failures. */
	enum kymo_status (*write)(const struct run *run, const struct export_options *options,
				  struct export_sink *sink, struct problem *problem);
};

/* Every exporter, in the order of exporters.def. */
extern const struct exporter *const exporter_table[];
extern const size_t exporter_count;

/* NULL if there is no such format. */
const struct exporter *exporter_find(const char *name);

/* Write run to the file at path, or to standard output if path is NULL or "-".  The file appears
 * under its name only when it is complete: after a failure an older file of that name is unchanged.
 * bytes_out, which may be NULL, gets the length. */
enum kymo_status export_run(const struct exporter *exporter, const struct run *run,
			    const struct export_options *options, const char *path,
			    uint64_t *bytes_out, struct problem *problem);

#endif
