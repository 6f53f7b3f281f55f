/* Call-path trees as a graph of functions. */
#ifndef KYMO_CALL_GRAPH_TREE_H
#define KYMO_CALL_GRAPH_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "export/call_graph.h"
#include "export/export_samples.h"

struct call_graph_tree;
struct calltree;

/* The part of a recording to add. */
struct call_graph_input {
	const struct calltree *tree;
	const bool *regions; /* per region, NULL = all */
	bool is_sampled;     /* counts are of samples, including those of callees */
	bool has_roots; /* a function for each thread is the caller of its outermost functions */
};
struct call_graph_tree *call_graph_tree_new(const struct call_graph_input *part);
/* Of the samples or calls of a recording; part's tree and is_sampled are set. */
enum kymo_status call_graph_tree_open(const struct recording_samples *samples,
				      struct call_graph_input part, struct call_graph_tree **out,
				      struct problem *problem);
/* Add one thread.  root_name: with has_roots, of the thread's function, which has no time. */
void call_graph_add(struct call_graph *graph, struct call_graph_tree *tree, uint32_t thread,
		    const char *root_name);
void call_graph_tree_free(struct call_graph_tree *tree);

#endif
