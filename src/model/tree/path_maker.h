/* Call paths under construction from a call graph: edges and nodes, which belong to one
 * graph_paths_new().  One thread. */
#ifndef KYMO_PATH_MAKER_H
#define KYMO_PATH_MAKER_H

#include "model/tree/graph_calls.h"

struct path_node {
	uint32_t edge, parent; /* parent: node or GRAPH_NONE */
	uint32_t depth;
	double part;  /* of its edge */
	double total; /* estimate, its callees included */
};

struct path_edge { /* a call; caller GRAPH_NONE = from outside of the graph */
	uint32_t caller, callee;
	uint64_t count, given;
	double self, total;
	double parts, parts_before; /* sums over its nodes */
	uint32_t node_count, nodes_before;
};

struct path_function {
	uint32_t first_edge, edge_count; /* outgoing ones */
	uint32_t missing;		 /* how many of them have no node */
	uint32_t node_count;
	uint32_t open;	     /* how often it is on the current path */
	uint32_t own_edge;   /* to itself, or GRAPH_NONE */
	double others_total; /* of outgoing calls except recursive ones */
	double incoming, incoming_self;
	uint64_t incoming_count;
};

struct path_maker {
	struct call_paths_graph *graph;
	struct path_function *functions;
	struct path_edge *edges;
	size_t edge_count, edge_capacity;
	struct path_node *nodes;
	size_t node_count, node_capacity;
	uint32_t *heap; /* nodes to process, the one with the most time first */
	size_t heap_count, heap_capacity;
	double all_total;
	uint64_t work;
	bool is_out_of_memory;
};

/* Its index; GRAPH_NONE, and remembered, when out of memory. */
uint32_t path_maker_edge(struct path_maker *maker, const struct path_edge *edge);

#endif
