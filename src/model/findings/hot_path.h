/* The hot path: from the outermost region down to the callee with the largest total, as long as
 * that holds more than a given part of its caller's.
 *
 * Equal paths of all threads and processes are merged.  Read-only once made. */
#ifndef KYMO_HOT_PATH_H
#define KYMO_HOT_PATH_H

#include "model/profile/loaded_run.h"
#include "model/profile/region_union.h"
#include "model/profile/time_base.h"
#include "model/tree/call_count.h"

struct hot_step {
	uint32_t region; /* number in the union */
	uint32_t levels; /* 1, or the number of consecutive recursive calls */
	struct call_count calls;
	double self_ns, total_ns;
	double caller_ns; /* total of the step before; of the first: of everything */
};

struct hot_path {
	struct hot_step *steps;
	size_t count;
	struct time_base base; /* whole_ns: of everything */
	/* Where it ends: the callees of the last step, or the outermost regions if there is no
	 * step. */
	size_t callee_count;
	uint32_t callee;  /* the one with the largest total, if any */
	double callee_ns; /* its total */
};

/* above: the part of the caller's total that a callee must hold; thread: as in flat_view_new(). */
enum kymo_status hot_path_new(const struct loaded_run *loaded, const struct region_union *regions,
			      uint32_t thread, double above, struct hot_path **out);
void hot_path_free(struct hot_path *path);

#endif
