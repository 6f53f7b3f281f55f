/* Call paths from a call graph, for files and recordings that have callers but no call paths.
 *
 * The calls, own times and metrics of every function are exact, as are the calls and own times by
 * caller; without recursion, so are inclusive times.  Callers further out are not known: paths
 * share the measured values in proportion.  Recursion shows each function at most twice on a
 * path. */
#ifndef KYMO_GRAPH_PATHS_H
#define KYMO_GRAPH_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/tree/graph_calls.h"

#define GRAPH_DEPTH_MAX 16384u	/* deeper paths start anew */
#define GRAPH_NODES_MAX 200000u /* beyond, only paths without which a call would be missing */

struct graph_path {	 /* a call path and its share of its last call */
	uint32_t parent; /* an earlier path, or GRAPH_NONE */
	uint32_t function;
	uint64_t count;
	double self;
	double share; /* of all values of the function: as its time or else its calls are shared */
};

/* The paths, parents first.  The caller frees.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status graph_paths_new(struct call_paths_graph *graph, struct graph_path **paths_out,
				 size_t *count_out);

#endif
