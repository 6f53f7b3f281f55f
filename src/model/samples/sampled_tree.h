/* The samples of a recording as a call-path tree, so that whatever shows a profile shows
 * them too: a count is a number of samples, a time is an estimate.
 *
 * Frames become regions (added to the recording): functions, or lines where asked for. */
#ifndef KYMO_SAMPLED_TREE_H
#define KYMO_SAMPLED_TREE_H

#include "model/code/locations.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"
#include "model/tree/calltree.h"

/* Of CPU time: the region that all threads but the first are in which never left their wait. */
#define SAMPLED_IDLE_THREADS "[idle threads]"

/* As calltree_new(): nodes carry sum_ns and self_ns by weight, count = samples; metrics are
 * those of calltree.metric_ids: sampling_wall_clock, sampling_waiting, sampling_cpu_clock,
 * sampling_percent. */
enum kymo_status sampled_tree_new(struct recording *recording, const struct samples *samples,
				  const struct sampled_options *options, struct calltree **out,
				  struct problem *problem);

/* Names and files in these tables live as long as the recording. */

struct sampled_share { /* an estimate with its interval, as parts of 1 */
	double share, low, high;
};

/* One line of a source file.  A Python line has the samples of which it is the innermost
 * Python line, whatever it called; a native one those of which it is the innermost frame
 * that is shown.  So the Python lines add up to what was in Python, the native ones to what
 * was in native code, which may have been called from Python: the two overlap. */
struct sampled_line {
	const char *file, *function, *module; /* file and module: NULL = unknown */
	uint32_t line;			      /* 0 = unknown */
	bool is_python;
	uint64_t count;		  /* samples in self */
	double self_ns, total_ns; /* total: it was somewhere in the stack, counted once */
	/* self_ns by what its innermost frames were; the kernel's where it did not wait. */
	double python_ns, native_ns, kernel_ns;
	double wait_ns; /* wall time: it waited, for whatever */
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
/* Times and samples of a line, added to those of another one.  self and total stay. */
void sampled_line_add(struct sampled_line *sum, const struct sampled_line *line);

#endif
