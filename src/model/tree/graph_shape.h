/* The shape of call paths: from the functions without callers downwards, the path with the most
 * time first, each with an estimate of its share of its last call. */
#ifndef KYMO_GRAPH_SHAPE_H
#define KYMO_GRAPH_SHAPE_H

struct path_maker;

/* The shape: nodes for all edges, and edges from outside of the graph. */
void path_maker_shape(struct path_maker *maker);

#endif
