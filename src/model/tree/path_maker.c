/* Edges of call paths under construction; their number is limited by memory only. */
#include "model/tree/path_maker.h"

#include "base/array.h"

uint32_t path_maker_edge(struct path_maker *maker, const struct path_edge *edge)
{
	struct path_edge *grown = maker->edge_count < GRAPH_NONE
					  ? array_grow(maker->edges, &maker->edge_capacity,
						       maker->edge_count + 1, sizeof(*grown))
					  : NULL;

	if (!grown) {
		maker->is_out_of_memory = true;
		return GRAPH_NONE;
	}
	maker->edges = grown;
	grown[maker->edge_count] = *edge;
	return (uint32_t)maker->edge_count++;
}
