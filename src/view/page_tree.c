/* Blobs "tree-TREE": call paths in depth-first order, the largest child first; time outside
 * regions is last below the root.
 *
 * The number of paths and the root's self, then columns with an entry for every path but the root:
 *   up      how many levels to go up from the previous path to this one's parent
 *   region  number of the region
 *   count   calls, or samples
 *   self    whole nanoseconds
 * A total is the sum of a path's self and those below it.
 * Blobs "tree-TREE-mN": values of the N-th metric of the section "metrics" for the same paths,
 * signed (zigzag): of metrics that add up, a path's own part, a total being the sum of it and those
 * below; of levels, the highest value.
 * TREE: "all", and with several threads "P-T" for thread T of process P (both positions in the
 * section "run") as long as these are few enough. */
#include <math.h>
#include <stdio.h>

#include "command/xalloc.h"
#include "view/page.h"
#include "view/page_out.h"
#include "view/page_paths.h"

#define PATHS_MAX   2000000u
#define THREADS_MAX 256u
#define VALUE_LIMIT 4503599627370496.0 /* 2^52: beyond any measurement, and any sum of two */

struct walk { /* depth first, without a stack */
	const struct page_paths *paths;
	uint32_t at; /* PAGE_PATHS_NONE = at the end */
	uint32_t up; /* levels up to its parent, from the previous path */
};

static void walk_next(struct walk *walk)
{
	const struct page_path *path = &walk->paths->paths[walk->at];

	walk->up = 0;
	if (path->first_child != PAGE_PATHS_NONE) {
		walk->at = path->first_child;
		return;
	}
	while (path->next_sibling == PAGE_PATHS_NONE) {
		if (path->parent == PAGE_PATHS_NONE) {
			walk->at = PAGE_PATHS_NONE;
			return;
		}
		path = &walk->paths->paths[path->parent];
		walk->up++;
	}
	walk->at = path->next_sibling;
	walk->up++;
}

enum column { COLUMN_UP, COLUMN_REGION, COLUMN_COUNT, COLUMN_SELF, COLUMNS };

static void tree_put_column(struct textbuf *bytes, const struct page_paths *paths,
			    enum column column)
{
	struct walk walk = {.paths = paths};

	for (walk_next(&walk); walk.at != PAGE_PATHS_NONE; walk_next(&walk)) {
		const struct page_path *path = &paths->paths[walk.at];

		if (column == COLUMN_UP)
			page_varint(bytes, walk.up);
		else if (column == COLUMN_REGION)
			page_varint(bytes, path->region);
		else if (column == COLUMN_COUNT)
			page_varint(bytes, path->count);
		else
			page_time(bytes, path->self_ns);
	}
}

/* Whole values of one metric, per path; without those of the children if it adds up. */
static double *metric_values(const struct page_paths *paths, size_t metric, bool adds)
{
	double *values = xcalloc(paths->count, sizeof(*values));

	for (size_t i = 1; i < paths->count; i++) {
		double value = round(paths->metrics[i * paths->metric_count + metric]);

		if (!(fabs(value) < VALUE_LIMIT))
			value = 0;
		values[i] += value;
		if (adds)
			values[paths->paths[i].parent] -= value;
	}
	return values;
}

static void tree_write_metric(struct page_out *out, const char *tree,
			      const struct page_paths *paths, size_t metric, bool adds)
{
	double *values = metric_values(paths, metric, adds);
	struct walk walk = {.paths = paths};
	struct textbuf bytes = {0};
	char name[96];

	for (walk_next(&walk); walk.at != PAGE_PATHS_NONE; walk_next(&walk))
		page_signed(&bytes, values[walk.at]);
	xfree(values);
	snprintf(name, sizeof(name), "%s-m%zu", tree, metric);
	page_blob(out, name, &bytes);
	textbuf_release(&bytes);
}

static void tree_write_paths(struct page_out *out, const char *name, const struct page_paths *paths,
			     const struct page_metrics *metrics)
{
	struct textbuf bytes = {0};

	page_varint(&bytes, paths->count - 1);
	page_time(&bytes, paths->paths[0].self_ns);
	for (unsigned int column = 0; column < COLUMNS; column++)
		tree_put_column(&bytes, paths, (enum column)column);
	page_blob(out, name, &bytes);
	textbuf_release(&bytes);
	for (size_t i = 0; i < paths->metric_count; i++)
		tree_write_metric(out, name, paths, i, metrics->info[i]->is_accumulated);
}

static void tree_write_tree(const struct page *page, struct page_out *out, size_t process,
			    uint32_t thread)
{
	const struct loaded_run *loaded = page->loaded;
	const struct page_metrics metrics = page_metrics_of(loaded->trees, loaded->tree_count);
	struct page_paths paths = page_paths_new(loaded->trees, loaded->tree_count, page->regions,
						 &metrics, process, thread);
	char name[64] = "tree-all";

	if (thread != KYMO_NO_THREAD)
		snprintf(name, sizeof(name), "tree-%zu-%u", process, thread);
	tree_write_paths(out, name, &paths, &metrics);
	page_paths_release(&paths);
}

static bool has_thread_trees(const struct page *page)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < page->loaded->tree_count; i++)
		nodes += page->loaded->trees[i]->node_count;
	return page->facts->thread_count > 1 && page->facts->thread_count <= THREADS_MAX &&
	       nodes <= PATHS_MAX;
}

static void tree_write_trees(const struct page *page, struct page_out *out)
{
	tree_write_tree(page, out, 0, KYMO_NO_THREAD);
	if (!has_thread_trees(page))
		return;
	for (size_t i = 0; i < page->loaded->tree_count; i++) {
		const struct recording *recording = page->loaded->trees[i]->recording;

		for (uint32_t k = 0; k < recording->thread_count; k++) {
			if (page->loaded->trees[i]->thread_root[k] != CALLTREE_NONE)
				tree_write_tree(page, out, i, k);
		}
	}
}

const struct page_section page_tree_section = {.write = tree_write_trees};
