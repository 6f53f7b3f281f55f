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
#include "export/export_options.h"
#include "model/recording/run.h"

struct export_sink;
struct export_source;

struct exporter {
	const char *name;	 /* as on the command line: "perfetto" */
	const char *extension;	 /* of the file, without dot: "pftrace" */
	const char *description; /* one line: its content and the tools that open it */
	bool is_binary;		 /* must not be written to a terminal */
	/* Whatever the options are: each line of a sampled function is a frame of its own, as are
	 * inlined functions. */
	bool needs_lines, needs_inlines;
	bool has_calls_and_samples; /* of one recording, in one document */
	/* Write the whole document of the source (export_source.h).  The sink reports its
	 * failures. */
	enum kymo_status (*write)(const struct export_source *source,
				  const struct export_options *options, struct export_sink *sink,
				  struct problem *problem);
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
