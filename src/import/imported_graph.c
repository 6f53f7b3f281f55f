/* Adds call paths of a call graph as nodes of imported, with their part of each metric. */
#include "import/imported_graph.h"

#include <stdlib.h>

static void graph_measure(struct imported *imported, const double *row, uint32_t node, double share)
{
	for (uint32_t k = 0; k < imported->metric_count; k++) {
		if (row[k] != 0 && share > 0)
			imported_measure(imported, k, node, 0, row[k] * share);
	}
}

static void graph_put_nodes(const struct call_paths_graph *graph, const double *metrics,
			    const struct graph_path *paths, size_t count, uint32_t *nodes,
			    struct imported *imported, uint32_t thread)
{
	for (size_t i = 0; i < count && !imported->is_out_of_memory; i++) {
		const struct graph_path *path = &paths[i];
		uint32_t parent = path->parent == GRAPH_NONE ? imported_root(imported, thread)
							     : nodes[path->parent];

		nodes[i] = imported_child_new(imported, parent,
					      graph->functions[path->function].region);
		imported_weigh(imported, nodes[i], path->count, path->self);
		if (metrics)
			graph_measure(imported,
				      metrics + (size_t)path->function * imported->metric_count,
				      nodes[i], path->share);
	}
}

enum kymo_status imported_graph_add(struct call_paths_graph *graph, const double *metrics,
				    struct imported *imported, uint32_t thread)
{
	struct graph_path *paths;
	size_t count;
	uint32_t *nodes;

	if (graph_paths_new(graph, &paths, &count) != KYMO_OK)
		return KYMO_MEMORY;
	nodes = calloc(count + 1, sizeof(*nodes));
	if (nodes)
		graph_put_nodes(graph, metrics, paths, count, nodes, imported, thread);
	free(nodes);
	free(paths);
	return nodes && !imported->is_out_of_memory ? KYMO_OK : KYMO_MEMORY;
}
