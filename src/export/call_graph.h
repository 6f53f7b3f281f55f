/* The functions of a run and who called whom, for graphs.
 *
 * Functions are the same if name, file and line are, in whatever process; times are whole
 * nanoseconds (or sampled events), so that sums are exact.  Time of regions that are not selected
 * belongs to the nearest selected caller.  Names live as long as the work (command/xalloc); files
 * are borrowed from the recordings, which must outlive it.  One thread at a time. */
#ifndef KYMO_CALL_GRAPH_H
#define KYMO_CALL_GRAPH_H

#include "base/hashset.h"
#include "model/tree/calltree.h"

#define CALL_GRAPH_NONE UINT32_MAX

struct graph_function {
	char *name;	      /* as in cProfile */
	const char *file;     /* its source, else its native module; NULL = unknown */
	uint32_t line;	      /* where it begins, 0 = unknown */
	uint32_t file_owner;  /* the first function with the same file */
	bool is_source;	      /* file is the source's */
	bool is_namesake;     /* an earlier one has the same name and file */
	uint64_t count;	      /* calls, or samples that contain it */
	uint64_t self, total; /* total: outermost visits only */
	uint32_t open;	      /* recursion depth during a walk */
};

struct graph_cost { /* of a function's own code */
	uint32_t function, line;
	uint64_t visits; /* calls of it, or samples in this very line */
	uint64_t self;
};

struct graph_call {
	uint32_t caller, line; /* line: of the caller, 0 unless the graph has lines */
	uint32_t callee;
	uint64_t count;
	bool is_count_estimated;
	uint64_t total; /* while this call is open */
	/* Only while the callee was not open already: summed over the callers of a function that is
	 * the function's total. */
	uint64_t outermost, outermost_visits;
	uint32_t open;
};

struct call_graph {
	bool has_lines;	    /* the lines of a function are separate costs */
	bool has_qualnames; /* Python functions have their qualified names if known */
	struct graph_function *functions;
	size_t function_count, function_capacity;
	struct graph_cost *costs; /* none unless the graph has lines */
	size_t cost_count, cost_capacity;
	struct graph_call *calls;
	size_t call_count, call_capacity;
	/* Values are indexes + 1. */
	struct hashset function_index, name_index, file_index, cost_index, call_index;
};

/* A tree prepared for adding, to one graph only; tree and regions must outlive it. */
struct call_graph_tree;

/* Indexes of found or added items.  Adding one moves the others of its kind. */
uint32_t call_graph_function(struct call_graph *graph, const struct region *region);
uint32_t call_graph_root(struct call_graph *graph, const char *name);
struct graph_cost *call_graph_cost(struct call_graph *graph, uint32_t function, uint32_t line);
uint32_t call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t line, uint32_t callee);

/* Sort costs by function and line, calls by caller, line and callee; nothing may be added until
 * call_graph_clear(). */
void call_graph_sort(struct call_graph *graph);
/* Reset all numbers; functions keep their indexes. */
void call_graph_clear(struct call_graph *graph);
void call_graph_release(struct call_graph *graph);

#endif
