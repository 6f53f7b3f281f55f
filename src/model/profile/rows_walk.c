/* Builds rows of a profile from the call trees of a run.
 *
 * One walk over every tree adds each node to a tree of rows under construction; if nothing is
 * merged every node makes a row of its own, otherwise the row is found by its parent, region,
 * process and thread.  The walk has an explicit stack: programs recurse deeper than the C stack
 * allows. */
#include "model/profile/rows_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"

#define NO_ROW UINT32_MAX

struct links { /* of a row under construction */
	uint32_t parent, first_child, last_child, next_sibling;
};

struct frame { /* a node whose children are being walked */
	uint32_t node;
	uint32_t row; /* its row; NO_ROW for the root of a thread at the top */
	uint32_t next_child;
	uint32_t next_thread; /* created while the node was open */
};

struct builder {
	struct rows *rows;
	struct links *links;
	size_t row_capacity, link_capacity, metric_capacity;
	uint32_t first_top, last_top; /* rows without parent */
	struct hashset merged;	      /* values are rows + 1 */
	struct frame *stack;
	size_t depth, stack_capacity;
	/* of the tree being walked */
	uint32_t tree;
	bool *is_walked;  /* per thread */
	uint32_t *active; /* per region: visits on the path, to count recursion once */
	bool has_failed;
};

static void link_row(struct builder *builder, uint32_t row, uint32_t parent)
{
	uint32_t *first = &builder->first_top, *last = &builder->last_top;

	builder->links[row] = (struct links){parent, NO_ROW, NO_ROW, NO_ROW};
	if (parent != NO_ROW) {
		first = &builder->links[parent].first_child;
		last = &builder->links[parent].last_child;
	}
	if (*last == NO_ROW)
		*first = row;
	else
		builder->links[*last].next_sibling = row;
	*last = row;
}

static bool grow_rows(struct builder *builder)
{
	struct rows *rows = builder->rows;
	size_t need = rows->count + 1;
	void *grown = array_grow(rows->rows, &builder->row_capacity, need, sizeof(*rows->rows));

	if (!grown)
		return false;
	rows->rows = grown;
	grown = array_grow(builder->links, &builder->link_capacity, need, sizeof(*builder->links));
	if (!grown)
		return false;
	builder->links = grown;
	if (rows->metric_count == 0)
		return true;
	grown = array_grow(rows->metrics, &builder->metric_capacity, need * rows->metric_count,
			   sizeof(*rows->metrics));
	if (!grown)
		return false;
	rows->metrics = grown;
	return true;
}

static uint32_t walk_add_row(struct builder *builder, const struct row *key, uint32_t parent)
{
	struct rows *rows = builder->rows;
	uint32_t row = (uint32_t)rows->count;

	if (rows->count >= NO_ROW - 1 || !grow_rows(builder)) {
		builder->has_failed = true;
		return NO_ROW;
	}
	rows->rows[row] = *key;
	if (rows->metric_count)
		memset(rows->metrics + (size_t)row * rows->metric_count, 0,
		       rows->metric_count * sizeof(*rows->metrics));
	rows->count++;
	link_row(builder, row, parent);
	return row;
}

static bool may_be_several(const struct rows *rows, const struct row *key)
{
	const struct region *region = rows->regions->regions[key->region];

	return region->flags & KYMO_REGION_OBJECT && !region->arguments;
}

/* The thread and process of a row matter only if they are not merged. */
static uint32_t key_process(const struct rows *rows, const struct row *row)
{
	return rows->options.merges_processes ? 0 : row->process;
}

static uint32_t key_thread(const struct rows *rows, const struct row *row)
{
	return rows->options.merges_threads ? 0 : row->thread;
}

static uint64_t walk_hash_key(const struct rows *rows, const struct row *key, uint32_t parent)
{
	uint32_t words[] = {key->region, key_process(rows, key), key_thread(rows, key), parent};

	return hash_bytes(HASH_SEED, words, sizeof(words));
}

struct row_key {
	const struct builder *builder;
	const struct row *row;
	uint32_t parent;
};

static bool walk_is_key(uint64_t value, const void *key)
{
	const struct row_key *wanted = key;
	const struct rows *rows = wanted->builder->rows;
	const struct row *row = &rows->rows[value - 1];

	return wanted->builder->links[value - 1].parent == wanted->parent &&
	       row->region == wanted->row->region &&
	       key_process(rows, row) == key_process(rows, wanted->row) &&
	       key_thread(rows, row) == key_thread(rows, wanted->row);
}

/* The row for key under parent: found if rows merge, else always a new one. */
static uint32_t walk_find_row(struct builder *builder, const struct row *key, uint32_t parent)
{
	const struct rows_options *options = &builder->rows->options;
	struct row_key wanted = {builder, key, parent};
	uint64_t hash, value;
	uint32_t row;

	if (!options->is_flat && !options->merges_threads && !options->merges_processes &&
	    !may_be_several(builder->rows, key))
		return walk_add_row(builder, key, parent);
	hash = walk_hash_key(builder->rows, key, parent);
	value = hashset_find(&builder->merged, hash, walk_is_key, &wanted);
	if (value != 0)
		return (uint32_t)(value - 1);
	row = walk_add_row(builder, key, parent);
	if (row != NO_ROW && !hashset_insert(&builder->merged, hash, (uint64_t)row + 1))
		builder->has_failed = true;
	return row;
}

static void merge_extremes(struct row *row, const struct calltree_node *node)
{
	if (node->closed_count == 0)
		return;
	if (row->closed_count == 0 || node->min_ns < row->min_ns)
		row->min_ns = node->min_ns;
	if (row->closed_count == 0 || node->max_ns > row->max_ns)
		row->max_ns = node->max_ns;
}

/* Summed over all paths, a region's number of calls is exact. */
static void add_count(struct row *row, const struct calltree_node *node, bool is_flat)
{
	struct call_count sum = call_count_of(row), more = call_count_of(node);

	call_count_add(&sum, &more);
	row->count = sum.count;
	row->is_count_estimated = sum.is_estimated && !is_flat;
	row->count_low = sum.low;
	row->count_high = sum.high;
}

static void walk_add_visits(struct row *row, const struct calltree_node *node, bool is_outermost)
{
	merge_extremes(row, node);
	row->closed_count += node->closed_count;
	row->sum_ns += is_outermost ? node->sum_ns : 0;
	row->visits_ns += node->sum_ns;
	row->self_ns += node->self_ns;
	row->sum_squares_ns += node->sum_squares_ns;
	row->is_open |= node->is_open;
	row->is_folded |= node->is_folded;
}

static void walk_add_metric(struct row_metric *to, const struct calltree_metric *from,
			    bool is_outermost)
{
	if (from->count > 0) {
		if (to->count == 0 || from->min < to->min)
			to->min = from->min;
		if (to->count == 0 || from->max > to->max)
			to->max = from->max;
	}
	to->count += from->count;
	to->sum += is_outermost ? from->sum : 0;
	to->visits += from->sum;
	to->self += from->sum;
	to->sum_squares += from->sum_squares;
}

/* Metrics by their ids: processes of a run may record different ones. */
static void walk_add_metrics(struct builder *builder, uint32_t node, uint32_t row, uint32_t caller,
			     bool is_outermost)
{
	struct rows *rows = builder->rows;
	const struct calltree *tree = rows->trees[builder->tree];
	const uint32_t *ids = tree->metric_ids;

	for (unsigned int i = 0; tree->metrics && i < tree->metric_count; i++) {
		const struct calltree_metric *from =
			&tree->metrics[(size_t)node * tree->metric_count + i];

		for (unsigned int k = 0; k < rows->metric_count; k++) {
			if (rows->metric_ids[k] != ids[i])
				continue;
			walk_add_metric(&rows->metrics[(size_t)row * rows->metric_count + k], from,
					is_outermost);
			if (caller != NO_ROW)
				rows->metrics[(size_t)caller * rows->metric_count + k].self -=
					from->sum;
		}
	}
}

static const struct calltree *walked_tree(const struct builder *builder)
{
	return builder->rows->trees[builder->tree];
}

static bool walk_push(struct builder *builder, uint32_t node, uint32_t row)
{
	const struct calltree_node *from = &walked_tree(builder)->nodes[node];
	struct frame *grown = array_grow(builder->stack, &builder->stack_capacity,
					 builder->depth + 1, sizeof(*builder->stack));

	if (!grown) {
		builder->has_failed = true;
		return false;
	}
	builder->stack = grown;
	builder->stack[builder->depth++] = (struct frame){
		.node = node,
		.row = row,
		.next_child = from->first_child,
		.next_thread = from->creates_thread,
	};
	return true;
}

/* Enter a thread's tree under row: its root shows no row of its own. */
static void enter_thread(struct builder *builder, uint32_t thread, uint32_t row)
{
	const struct calltree *tree = walked_tree(builder);

	if (builder->is_walked[thread])
		return;
	builder->is_walked[thread] = true;
	if (tree->thread_root[thread] != CALLTREE_NONE)
		walk_push(builder, tree->thread_root[thread], row);
}

static void enter_node(struct builder *builder, uint32_t node, uint32_t parent_row)
{
	struct rows *rows = builder->rows;
	const struct calltree_node *from = &walked_tree(builder)->nodes[node];
	const struct rows_options *options = &rows->options;
	bool is_outermost = !options->is_flat || builder->active[from->region] == 0;
	bool has_caller = parent_row != NO_ROW &&
			  walked_tree(builder)->nodes[from->parent].parent != CALLTREE_NONE;
	struct row key = {
		.region = region_union_number(rows->regions, builder->tree, from->region),
		.process = builder->tree,
		.thread = from->thread,
		.depth = parent_row == NO_ROW || options->is_flat
				 ? 0
				 : rows->rows[parent_row].depth + 1,
	};
	uint32_t row = walk_find_row(builder, &key, options->is_flat ? NO_ROW : parent_row);

	if (row == NO_ROW)
		return;
	add_count(&rows->rows[row], from, options->is_flat);
	rows->has_estimated_counts |= rows->rows[row].is_count_estimated;
	walk_add_visits(&rows->rows[row], from, is_outermost);
	walk_add_metrics(builder, node, row, has_caller ? parent_row : NO_ROW, is_outermost);
	rows->has_open |= from->is_open;
	if (walk_push(builder, node, row))
		builder->active[from->region]++;
}

static void leave_node(struct builder *builder)
{
	const struct calltree_node *from =
		&walked_tree(builder)->nodes[builder->stack[--builder->depth].node];

	if (from->parent != CALLTREE_NONE)
		builder->active[from->region]--;
}

/* Walk a thread and the threads it created.  Flat, every thread is walked by itself:
 * a region open in the creator is not open in the created thread. */
static void rows_walk_thread(struct builder *builder, uint32_t thread)
{
	const struct calltree *tree = walked_tree(builder);
	bool follows =
		!builder->rows->options.is_flat && builder->rows->options.thread == KYMO_NO_THREAD;

	enter_thread(builder, thread, NO_ROW);
	while (builder->depth > 0 && !builder->has_failed) {
		struct frame *top = &builder->stack[builder->depth - 1];
		uint32_t row = top->row;

		if (top->next_child != CALLTREE_NONE) {
			uint32_t node = top->next_child;

			top->next_child = tree->nodes[node].next_sibling;
			enter_node(builder, node, row);
		} else if (follows && top->next_thread != CALLTREE_NONE) {
			uint32_t created = top->next_thread;

			top->next_thread = tree->thread_next[created];
			enter_thread(builder, created, row);
		} else {
			leave_node(builder);
		}
	}
	builder->depth = 0;
}

static void mark_created(const struct calltree *tree, bool *is_created)
{
	for (uint32_t node = 0; node < tree->node_count; node++) {
		uint32_t thread = tree->nodes[node].creates_thread;

		for (; thread != CALLTREE_NONE; thread = tree->thread_next[thread])
			is_created[thread] = true;
	}
}

/* Threads without a creator come first; the remaining ones were created in a cycle, which happens
 * in damaged recordings only. */
static void walk_threads(struct builder *builder, bool *is_created)
{
	const struct calltree *tree = walked_tree(builder);
	uint32_t thread_count = tree->recording->thread_count;

	if (!builder->rows->options.is_flat)
		mark_created(tree, is_created);
	for (uint32_t thread = 0; thread < thread_count; thread++) {
		if (!is_created[thread])
			rows_walk_thread(builder, thread);
	}
	for (uint32_t thread = 0; thread < thread_count; thread++)
		rows_walk_thread(builder, thread);
}

static void rows_walk_tree(struct builder *builder, uint32_t index)
{
	const struct recording *recording = builder->rows->trees[index]->recording;
	uint32_t only = builder->rows->options.thread;
	bool *is_created = calloc(recording->thread_count + 1, sizeof(*is_created));

	builder->tree = index;
	builder->is_walked = calloc(recording->thread_count + 1, sizeof(*builder->is_walked));
	builder->active = calloc(recording->region_count + 1, sizeof(*builder->active));
	if (!is_created || !builder->is_walked || !builder->active)
		builder->has_failed = true;
	else if (only == KYMO_NO_THREAD)
		walk_threads(builder, is_created);
	else if (only < recording->thread_count)
		rows_walk_thread(builder, only);
	free(is_created);
	free(builder->is_walked);
	free(builder->active);
}

/* Sort the rows depth first: merging does not keep that order. */
static bool walk_sort_rows(struct builder *builder)
{
	struct rows *rows = builder->rows;
	unsigned int width = rows->metric_count;
	struct row *sorted = calloc(rows->count + 1, sizeof(*sorted));
	struct row_metric *metrics = calloc(rows->count * width + 1, sizeof(*metrics));
	uint32_t row = builder->first_top;
	size_t next = 0;

	if (!sorted || !metrics) {
		free(sorted);
		free(metrics);
		return false;
	}
	while (row != NO_ROW) {
		sorted[next] = rows->rows[row];
		if (width)
			memcpy(metrics + next * width, rows->metrics + (size_t)row * width,
			       width * sizeof(*metrics));
		next++;
		if (builder->links[row].first_child != NO_ROW) {
			row = builder->links[row].first_child;
			continue;
		}
		while (row != NO_ROW && builder->links[row].next_sibling == NO_ROW)
			row = builder->links[row].parent;
		if (row != NO_ROW)
			row = builder->links[row].next_sibling;
	}
	free(rows->rows);
	free(rows->metrics);
	rows->rows = sorted;
	rows->metrics = metrics;
	return true;
}

static const struct calltree *most_metrics(const struct rows *rows)
{
	const struct calltree *most = NULL;

	for (size_t i = 0; i < rows->tree_count; i++) {
		if (rows->trees[i]->metrics &&
		    (!most || rows->trees[i]->metric_count > most->metric_count))
			most = rows->trees[i];
	}
	return most;
}

bool rows_walk(struct rows *rows)
{
	struct builder builder = {.rows = rows, .first_top = NO_ROW, .last_top = NO_ROW};
	const struct calltree *model = most_metrics(rows);
	bool is_complete;

	if (model) {
		rows->metric_ids = model->metric_ids;
		rows->metric_count = model->metric_count;
	}
	for (uint32_t i = 0; i < rows->tree_count && !builder.has_failed; i++)
		rows_walk_tree(&builder, i);
	is_complete = !builder.has_failed && walk_sort_rows(&builder);
	free(builder.links);
	free(builder.stack);
	hashset_release(&builder.merged);
	return is_complete;
}
