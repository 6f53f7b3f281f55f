/* The time of samples by source line.  Names and files in the table live as long as the recording;
 * sampled_lines_free() frees the rest. */
#ifndef KYMO_SAMPLED_LINES_H
#define KYMO_SAMPLED_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/samples/sampled_kinds.h"

struct recording;
struct sampled_options;
struct samples;

/* One line of a source file.  A Python line has the samples whose innermost Python line it is,
 * whatever it called; a native one those whose innermost visible frame it is.  So the Python lines
 * add up to what was in Python, the native ones to what was in native code, which may have been
 * called from Python: the two overlap. */
struct sampled_line {
	const char *file, *function, *module; /* file and module: NULL = unknown */
	uint32_t line;			      /* 0 = unknown */
	bool is_python;
	uint64_t count;		  /* samples in self */
	double self_ns, total_ns; /* total: it was somewhere in the stack, counted once */
	/* self_ns by the innermost frames; the kernel's if it did not wait. */
	double python_ns, native_ns, kernel_ns;
	double wait_ns; /* wall time: waits of any kind */
	struct sampled_share self, total;
};

struct sampled_lines {
	struct sampled_line *lines; /* by self_ns, largest first; then by total_ns */
	size_t count;
	double total_ns, effective_count;
};
enum kymo_status sampled_lines_new(struct recording *recording, const struct samples *samples,
				   const struct sampled_options *options,
				   struct sampled_lines **out);
void sampled_lines_free(struct sampled_lines *lines);
/* Add times and samples of one line to those of another.  self and total stay. */
void sampled_line_add(struct sampled_line *sum, const struct sampled_line *line);

#endif
