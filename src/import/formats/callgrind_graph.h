/* The call graphs of a callgrind file while it is read: one per thread. */
#ifndef KYMO_CALLGRIND_GRAPH_H
#define KYMO_CALLGRIND_GRAPH_H

#include "import/imported_graph.h"

#define CALLGRIND_EVENTS_MAX (IMPORT_METRICS_MAX + 1u)

struct callgrind_function {
	struct span object, file, name;
	uint32_t line;	 /* the first known one; 0 = none */
	uint64_t visits; /* if the file has them; else 0 */
	double costs[CALLGRIND_EVENTS_MAX];
};

struct callgrind_graph {
	uint64_t pid, thread;
	struct callgrind_function *functions;
	size_t function_count, function_capacity;
	struct hashset index;
	struct graph_call *calls;
	size_t call_count, call_capacity;
};

#define CALLGRIND_NONE UINT32_MAX

/* The function's index, found or added; NONE = no memory. */
uint32_t callgrind_function(struct callgrind_graph *graph, struct span object, struct span file,
			    struct span name);
bool callgrind_call(struct callgrind_graph *graph, const struct graph_call *call);
/* Add call paths to imported.  has_thread_roots: functions without callers and without cost stand
 * for their thread.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status callgrind_graph_finish(struct callgrind_graph *graph, struct imported *imported,
					bool has_thread_roots);
void callgrind_graph_release(struct callgrind_graph *graph);

#endif
