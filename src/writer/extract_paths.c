/* Nodes come parents before children, so that one pass determines what is inside; threads created
 * inside are so as a whole, which may need further passes.  Paths below several visits of the
 * regions are merged. */
#include "writer/extract_paths.h"

#include <string.h>

#include "base/array.h"

static enum extract_side paths_place_of(const struct extract *extract, uint32_t index)
{
	const struct calltree_node *node = &extract->tree->nodes[index];

	if (node->parent == CALLTREE_NONE)
		return extract->is_whole[node->thread] ? PLACE_ROOT : PLACE_OUTSIDE;
	if (extract->places[node->parent] != PLACE_OUTSIDE)
		return PLACE_INSIDE;
	return extract->marks[node->region] ? PLACE_ROOT : PLACE_OUTSIDE;
}

/* True if threads became whole by it, whose nodes may come earlier. */
static bool place_nodes(struct extract *extract)
{
	const struct calltree *tree = extract->tree;
	bool is_more = false;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t thread = tree->nodes[i].creates_thread;

		extract->places[i] = (uint8_t)paths_place_of(extract, i);
		if (extract->places[i] == PLACE_OUTSIDE)
			continue;
		for (; thread != CALLTREE_NONE; thread = tree->thread_next[thread]) {
			is_more |= !extract->is_whole[thread];
			extract->is_whole[thread] = true;
		}
	}
	return is_more;
}

static bool extract_paths_grow(struct extract *extract)
{
	size_t width = extract->tree->metric_count;
	void *grown = array_grow(extract->paths, &extract->path_capacity, extract->path_count + 1,
				 sizeof(*extract->paths));

	if (!grown || extract->path_count >= CALLTREE_NONE - 1)
		return false;
	extract->paths = grown;
	if (!extract->tree->metrics)
		return true;
	grown = array_grow(extract->metrics, &extract->metric_capacity,
			   (extract->path_count + 1) * width, sizeof(*extract->metrics));
	if (!grown)
		return false;
	extract->metrics = grown;
	memset(&extract->metrics[extract->path_count * width], 0,
	       width * sizeof(*extract->metrics));
	return true;
}

/* CALLTREE_NONE = no memory. */
static uint32_t path_add(struct extract *extract, uint32_t parent, uint32_t region, uint32_t thread)
{
	if (!extract_paths_grow(extract))
		return CALLTREE_NONE;
	extract->paths[extract->path_count] = (struct extract_path){
		.parent = parent,
		.node = {.thread = thread, .region = region},
	};
	return (uint32_t)extract->path_count++;
}

static uint32_t path_find(struct extract *extract, uint32_t parent, uint32_t region,
			  uint32_t thread)
{
	uint64_t key = hash_pair(parent, region), known = hashset_find_key(&extract->index, key);
	uint32_t path;

	if (known)
		return (uint32_t)known - 1;
	path = path_add(extract, parent, region, thread);
	if (path == CALLTREE_NONE || !hashset_insert(&extract->index, key, path + UINT64_C(1)))
		return CALLTREE_NONE;
	return path;
}

static void paths_add_metrics(struct extract *extract, uint32_t path, uint32_t node)
{
	uint32_t width = extract->tree->metric_count;

	for (uint32_t i = 0; extract->tree->metrics && i < width; i++) {
		const struct calltree_metric *from =
			&extract->tree->metrics[(size_t)node * width + i];
		struct calltree_metric *to = &extract->metrics[(size_t)path * width + i];

		if (from->count > 0 && (to->count == 0 || from->min < to->min))
			to->min = from->min;
		if (from->count > 0 && (to->count == 0 || from->max > to->max))
			to->max = from->max;
		to->count += from->count;
		to->sum += from->sum;
		to->sum_squares += from->sum_squares;
	}
}

static uint64_t paths_whole(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

static void paths_add_visits(struct recording_writer_node *to, const struct calltree_node *from)
{
	to->sum_ns += paths_whole(from->sum_ns);
	to->count += from->count;
	to->is_folded |= from->is_folded;
	if (from->closed_count == 0)
		return;
	if (to->closed_count == 0 || paths_whole(from->min_ns) < to->min_ns)
		to->min_ns = paths_whole(from->min_ns);
	if (paths_whole(from->max_ns) > to->max_ns)
		to->max_ns = paths_whole(from->max_ns);
	to->closed_count += from->closed_count;
	to->sum_squares_ns += from->sum_squares_ns;
}

/* The root of a thread lasts as long as the regions did in it. */
static uint32_t take_root(struct extract *extract, const struct calltree_node *node)
{
	uint32_t *root = &extract->root_of[node->thread];

	if (*root == CALLTREE_NONE)
		*root = path_add(extract, CALLTREE_NONE, 0, node->thread);
	if (*root != CALLTREE_NONE)
		extract->paths[*root].node.sum_ns += paths_whole(node->sum_ns);
	return *root;
}

static bool take_nodes(struct extract *extract)
{
	const struct calltree *tree = extract->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t path;

		if (extract->places[i] == PLACE_OUTSIDE)
			continue;
		path = extract->places[i] == PLACE_ROOT ? take_root(extract, node)
							: extract->path_of[node->parent];
		if (path != CALLTREE_NONE && node->parent != CALLTREE_NONE) {
			path = path_find(extract, path, node->region, node->thread);
			if (path != CALLTREE_NONE) {
				paths_add_visits(&extract->paths[path].node, node);
				paths_add_metrics(extract, path, i);
			}
		}
		if (path == CALLTREE_NONE)
			return false;
		extract->path_of[i] = path;
	}
	return true;
}

bool extract_find(struct extract *extract)
{
	while (place_nodes(extract))
		;
	return take_nodes(extract);
}
