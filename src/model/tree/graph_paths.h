/* Call paths from a call graph, for files and recordings that keep who called whom but not through
 * whom.
 *
 * Exact are the calls, own times and metrics of every function, and the calls and own times of
 * every caller of it; where nothing is recursive, so are the times with callees.  Through which
 * further callers a call came is not known then: paths share what was measured in
 * proportion.  Recursion shows each function at most twice on a path. */
#ifndef KYMO_GRAPH_PATHS_H
#define KYMO_GRAPH_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/tree/graph_calls.h"

#define GRAPH_DEPTH_MAX 16384u	/* deeper paths begin anew */
#define GRAPH_NODES_MAX 200000u /* beyond, only paths that nothing else stands for */

struct graph_path {	 /* a call path and what of its last call it is */
	uint32_t parent; /* an earlier path, or GRAPH_NONE */
	uint32_t function;
	uint64_t count;
	double self;
	double share; /* of all that the function has: as its time or else its calls are shared */
};

/* The paths, parents first.  The caller frees.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status graph_paths_new(struct call_paths_graph *graph, struct graph_path **paths_out,
				 size_t *count_out);

#endif
