/* The union of two trees of call paths: a path is one node if its regions are the same on both
 * sides.
 *
 * Rows come depth first, so the node of a row's parent is the last one seen a level above. */
#include "model/compare/diff_tree.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hashset.h"

struct tree_builder {
	struct diff *diff;
	size_t capacity;
	struct hashset paths; /* parent + 1 and region -> node + 1 */
	uint32_t *last;	      /* per depth: the node seen last */
};

/* DIFF_NONE = no memory. */
static uint32_t tree_node_of(struct tree_builder *builder, uint32_t parent, uint32_t region)
{
	struct diff *diff = builder->diff;
	uint64_t key = hash_pair(parent + 1, region),
		 known = hashset_find_key(&builder->paths, key);
	struct diff_node *grown;

	if (known)
		return (uint32_t)known - 1;
	grown = array_grow(diff->nodes, &builder->capacity, diff->node_count + (size_t)1,
			   sizeof(*grown));
	if (!grown)
		return DIFF_NONE;
	diff->nodes = grown;
	if (diff->node_count >= DIFF_NONE - 1 ||
	    !hashset_insert(&builder->paths, key, diff->node_count + UINT64_C(1)))
		return DIFF_NONE;
	grown[diff->node_count] = (struct diff_node){
		.region = region,
		.parent = parent,
		.first_child = DIFF_NONE,
		.next_sibling = DIFF_NONE,
		.depth = parent == DIFF_NONE ? 0 : grown[parent].depth + 1,
	};
	return diff->node_count++;
}

static bool tree_add_rows(struct tree_builder *builder, enum diff_side side)
{
	const struct rows *rows = builder->diff->side[side].rows;
	double runs = (double)builder->diff->side[side].run_count;

	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];
		uint32_t parent = row->depth ? builder->last[row->depth - 1] : DIFF_NONE;
		uint32_t region = builder->diff->side[side].numbers[row->region];
		uint32_t node = tree_node_of(builder, parent, region);
		struct diff_value *value;

		if (node == DIFF_NONE)
			return false;
		builder->last[row->depth] = node;
		value = &builder->diff->nodes[node].value[side];
		value->count += (double)row->count / runs;
		value->self_ns += row->self_ns / runs;
		value->total_ns += row->sum_ns / runs;
		builder->diff->nodes[node].count_low[side] += (double)call_count_of(row).low / runs;
		builder->diff->nodes[node].count_high[side] +=
			(double)call_count_of(row).high / runs;
		builder->diff->has_estimated_counts |= row->is_count_estimated;
	}
	return true;
}

/* Nodes of one parent become a list in the order they were found; returns the first root. */
static uint32_t link_nodes(struct diff *diff)
{
	uint32_t first_root = DIFF_NONE;

	for (uint32_t i = diff->node_count; i-- > 0;) {
		struct diff_node *node = &diff->nodes[i];
		uint32_t *first = node->parent == DIFF_NONE
					  ? &first_root
					  : &diff->nodes[node->parent].first_child;

		node->next_sibling = *first;
		*first = i;
	}
	return first_root;
}

static uint32_t diff_tree_node_after(const struct diff_node *nodes, uint32_t node)
{
	if (nodes[node].first_child != DIFF_NONE)
		return nodes[node].first_child;
	while (node != DIFF_NONE && nodes[node].next_sibling == DIFF_NONE)
		node = nodes[node].parent;
	return node == DIFF_NONE ? DIFF_NONE : nodes[node].next_sibling;
}

static uint32_t moved(const uint32_t *place, uint32_t node)
{
	return node == DIFF_NONE ? DIFF_NONE : place[node];
}

/* Depth first. */
static bool sort_nodes(struct diff *diff)
{
	uint32_t node = link_nodes(diff), next = 0;
	uint32_t *place = malloc((diff->node_count + (size_t)1) * sizeof(*place));
	struct diff_node *sorted = calloc(diff->node_count + (size_t)1, sizeof(*sorted));

	if (!place || !sorted) {
		free(place);
		free(sorted);
		return false;
	}
	for (; node != DIFF_NONE; node = diff_tree_node_after(diff->nodes, node)) {
		place[node] = next;
		sorted[next++] = diff->nodes[node];
	}
	for (uint32_t i = 0; i < next; i++) {
		sorted[i].parent = moved(place, sorted[i].parent);
		sorted[i].first_child = moved(place, sorted[i].first_child);
		sorted[i].next_sibling = moved(place, sorted[i].next_sibling);
	}
	free(place);
	free(diff->nodes);
	diff->nodes = sorted;
	return true;
}

static size_t deepest(const struct diff *diff)
{
	size_t depth = 0;

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct rows *rows = diff->side[side].rows;

		for (size_t i = 0; i < rows->count; i++) {
			if (rows->rows[i].depth > depth)
				depth = rows->rows[i].depth;
		}
	}
	return depth;
}

static bool compare_diff_tree_add_rests(struct diff *diff)
{
	struct diff_node *grown = realloc(
		diff->nodes, ((size_t)diff->node_count + diff->rest_count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	diff->nodes = grown;
	for (uint32_t i = 0; i < diff->rest_count; i++) {
		const struct diff_region *rest = &diff->regions[diff->region_count + i];

		grown[diff->node_count + i] = (struct diff_node){
			.region = diff->region_count + i,
			.parent = DIFF_NONE,
			.first_child = DIFF_NONE,
			.next_sibling = DIFF_NONE,
			.value = {rest->value[DIFF_BEFORE], rest->value[DIFF_AFTER]},
		};
	}
	return true;
}

enum kymo_status diff_tree_build(struct diff *diff)
{
	struct tree_builder builder = {.diff = diff};
	bool is_complete;

	builder.last = malloc((deepest(diff) + 1) * sizeof(*builder.last));
	is_complete = builder.last && tree_add_rows(&builder, DIFF_BEFORE) &&
		      tree_add_rows(&builder, DIFF_AFTER) && sort_nodes(diff) &&
		      compare_diff_tree_add_rests(diff);
	free(builder.last);
	hashset_release(&builder.paths);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}
