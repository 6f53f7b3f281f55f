/* Which part of a run is exported, and in what detail. */
#ifndef KYMO_EXPORT_OPTIONS_H
#define KYMO_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

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

#endif
