/* The content of an extract: which nodes are in the selected regions, and the paths that they
 * become.  For extract.c, which writes it.  The caller's memory.  One thread. */
#ifndef KYMO_EXTRACT_PATHS_H
#define KYMO_EXTRACT_PATHS_H

#include "base/hashset.h"
#include "model/tree/calltree.h"
#include "writer/recording_writer.h"

enum extract_side { PLACE_OUTSIDE, PLACE_ROOT, PLACE_INSIDE };

struct extract_path {	 /* of the extract; the first of each thread is its root */
	uint32_t parent; /* index, CALLTREE_NONE = a root */
	struct recording_writer_node node;
	uint64_t handle;
};

struct extract {
	const struct calltree *tree;
	const bool *marks;
	uint8_t *places; /* enum extract_side, per node */
	bool *is_whole;	 /* per thread: it was created inside */
	struct extract_path *paths;
	struct calltree_metric *metrics; /* metric_count per path */
	size_t path_count, path_capacity, metric_capacity;
	struct hashset index; /* parent and region -> path + 1 */
	uint32_t *path_of;    /* per node, CALLTREE_NONE = none */
	uint32_t *root_of;    /* per thread, likewise */
	uint32_t *thread_of;  /* per thread: its number in the extract */
	uint32_t *region_of;  /* per region: its id in the extract, 0 = not made yet */
	struct recording_writer *maker;
	int64_t start_ns; /* of the first event inside */
};

/* Fill in places, is_whole, paths, metrics, path_of and root_of; all arrays but the growing ones
 * must be allocated.  False: out of memory. */
bool extract_find(struct extract *extract);

#endif
