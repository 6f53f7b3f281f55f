/* The largest paths of a profile: rows ordered by size, and a subset of them as a tree again.
 *
 * Every row is a child of another one, or of an extra row for its process: rows of one process are
 * adjacent in every table. */
#include "model/profile/rows_largest.h"

#include <stdlib.h>
#include <string.h>

struct sized { /* a row to sort */
	double size;
	uint32_t row;
};

uint32_t *rows_parents_new(const struct rows *rows)
{
	uint32_t *parents = malloc((rows->count + 1) * sizeof(*parents));
	uint32_t *last = malloc((rows->count + 1) * sizeof(*last)); /* by depth */

	for (size_t i = 0; parents && last && i < rows->count; i++) {
		uint32_t depth = rows->rows[i].depth;

		parents[i] = depth > 0 ? last[depth - 1] : ROWS_NO_PARENT;
		last[depth] = (uint32_t)i;
	}
	if (!last) {
		free(parents);
		parents = NULL;
	}
	free(last);
	return parents;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct sized *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->row < b->row ? -1 : a->row > b->row;
}

uint32_t *rows_order_new(const struct rows *rows)
{
	uint32_t *parents = rows_parents_new(rows), *order = NULL;
	struct sized *sized = malloc((rows->count + 1) * sizeof(*sized));

	for (size_t i = 0; parents && sized && i < rows->count; i++)
		sized[i] = (struct sized){rows->rows[i].sum_ns, (uint32_t)i};
	/* Parents come before their children. */
	for (size_t i = rows->count; parents && sized && i-- > 0;) {
		uint32_t parent = parents[i];

		if (parent != ROWS_NO_PARENT && sized[parent].size < sized[i].size)
			sized[parent].size = sized[i].size;
	}
	if (parents && sized) {
		qsort(sized, rows->count, sizeof(*sized), compare_sizes);
		order = parents; /* no longer needed */
		parents = NULL;
		for (size_t i = 0; i < rows->count; i++)
			order[i] = sized[i].row;
	}
	free(parents);
	free(sized);
	return order;
}

struct link {
	uint32_t first_child, next_sibling;
};

struct selection {
	const struct rows *rows;
	uint32_t *parents;
	struct link *links; /* of the rows, then one for each process */
	struct rows *part;
};

static uint32_t process_link(const struct rows *rows, uint32_t row)
{
	uint32_t process = rows->options.merges_processes ? 0 : rows->rows[row].process;

	return (uint32_t)rows->count + process;
}

/* The smallest is inserted first, so that the largest ends up first. */
static void link_rows(struct selection *selection, const uint32_t *order, size_t count)
{
	const struct rows *rows = selection->rows;
	struct link *links = selection->links;

	for (size_t i = 0; i < rows->count + rows->tree_count; i++)
		links[i] = (struct link){ROWS_NO_PARENT, ROWS_NO_PARENT};
	for (size_t i = count; i-- > 0;) {
		uint32_t row = order[i], parent = selection->parents[row];

		if (parent == ROWS_NO_PARENT)
			parent = process_link(rows, row);
		links[row].next_sibling = links[parent].first_child;
		links[parent].first_child = row;
	}
}

static void copy_row(struct selection *selection, uint32_t row)
{
	const struct rows *rows = selection->rows;
	struct rows *part = selection->part;
	unsigned int width = rows->metric_count;

	part->rows[part->count] = rows->rows[row];
	part->has_open |= rows->rows[row].is_open;
	if (width)
		memcpy(part->metrics + part->count * width, rows->metrics + (size_t)row * width,
		       width * sizeof(*part->metrics));
	part->count++;
}

static void copy_process(struct selection *selection, size_t process)
{
	const struct link *links = selection->links;
	uint32_t row = links[selection->rows->count + process].first_child;

	while (row != ROWS_NO_PARENT) {
		copy_row(selection, row);
		if (links[row].first_child != ROWS_NO_PARENT) {
			row = links[row].first_child;
			continue;
		}
		while (row != ROWS_NO_PARENT && links[row].next_sibling == ROWS_NO_PARENT)
			row = selection->parents[row];
		if (row != ROWS_NO_PARENT)
			row = links[row].next_sibling;
	}
}

static double largest_own_ns(const struct rows *rows)
{
	double sum = 0;

	for (size_t i = 0; i < rows->count; i++)
		sum += rows->rows[i].self_ns;
	return sum;
}

static void rows_set_left_out(const struct rows *rows, struct rows *part)
{
	double all = largest_own_ns(rows), kept = largest_own_ns(part);

	part->left_out = rows->count - part->count;
	part->left_out_percent = all > kept ? 100 * (all - kept) / all : 0;
}

static bool selection_init(struct selection *selection, const struct rows *rows, size_t count)
{
	struct rows *part = malloc(sizeof(*part));

	*selection = (struct selection){.rows = rows, .part = part};
	if (!part)
		return false;
	*part = *rows;
	part->borrows_regions = true;
	part->has_open = false;
	part->count = 0;
	part->rows = calloc(count + 1, sizeof(*part->rows));
	part->metrics = calloc(count * rows->metric_count + 1, sizeof(*part->metrics));
	selection->parents = rows_parents_new(rows);
	selection->links = malloc((rows->count + rows->tree_count) * sizeof(*selection->links));
	return part->rows && part->metrics && selection->parents && selection->links;
}

enum kymo_status rows_largest_new(const struct rows *rows, const uint32_t *order, size_t count,
				  struct rows **out)
{
	struct selection selection;
	bool is_ready = selection_init(&selection, rows, count);

	if (is_ready) {
		link_rows(&selection, order, count);
		for (size_t process = 0; process < rows->tree_count; process++)
			copy_process(&selection, process);
		rows_set_left_out(rows, selection.part);
	} else {
		rows_free(selection.part);
	}
	free(selection.parents);
	free(selection.links);
	if (!is_ready)
		return KYMO_MEMORY;
	*out = selection.part;
	return KYMO_OK;
}
