/* A call graph: who called whom how often and how long, for files that have no call paths. */
#ifndef KYMO_GRAPH_CALLS_H
#define KYMO_GRAPH_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAPH_NONE UINT32_MAX

struct graph_function {
	uint32_t region; /* 0: no path begins with it */
	uint64_t count;
	double self, total; /* total: of outermost visits */
};

struct graph_call {
	uint32_t caller, callee; /* functions */
	uint64_t count;
	double self, total; /* of the callee, for this caller */
	bool has_self;	    /* else it is its part of the callee's self time */
};

struct call_paths_graph { /* the caller's memory; calls get sorted and changed */
	struct graph_function *functions;
	uint32_t function_count;
	struct graph_call *calls;
	size_t call_count;
};

#endif
