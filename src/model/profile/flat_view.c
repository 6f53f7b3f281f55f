/* The flat profile of a run: the flat profiles of its processes, merged by region. */
#include "model/profile/flat_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/tree/flat.h"

struct merger {
	struct flat_view *view;
	uint32_t *entry_of;   /* per region of the union: entry + 1 */
	struct hashset links; /* values are links + 1 */
	size_t entry_capacity, link_capacity;
};

static struct flat_entry *entry_for(struct merger *merger, uint32_t region)
{
	struct flat_view *view = merger->view;
	struct flat_entry *grown;

	if (merger->entry_of[region])
		return &view->entries[merger->entry_of[region] - 1];
	grown = array_grow(view->entries, &merger->entry_capacity, view->count + 1,
			   sizeof(*view->entries));
	if (!grown)
		return NULL;
	view->entries = grown;
	view->entries[view->count] = (struct flat_entry){.region = region};
	merger->entry_of[region] = (uint32_t)++view->count;
	return &view->entries[view->count - 1];
}

static bool view_add_row(struct merger *merger, uint32_t region, const struct flat_row *row)
{
	struct flat_entry *entry = entry_for(merger, region);

	if (!entry)
		return false;
	if (row->closed_count > 0) {
		if (entry->closed_calls == 0 || row->min_ns < entry->min_ns)
			entry->min_ns = row->min_ns;
		if (entry->closed_calls == 0 || row->max_ns > entry->max_ns)
			entry->max_ns = row->max_ns;
	}
	entry->calls += row->count;
	entry->primitive_calls += row->primitive_count;
	entry->closed_calls += row->closed_count;
	entry->self_ns += row->self_ns;
	entry->total_ns += row->total_ns;
	entry->visits_ns += row->visits_ns;
	entry->sum_squares_ns += row->sum_squares_ns;
	entry->is_open |= row->is_open;
	entry->is_primitive_estimated |= row->is_primitive_estimated;
	calltree_estimate_add(&entry->estimate, &row->estimate);
	merger->view->has_estimates |= row->estimate.is_known;
	return true;
}

struct link_key {
	const struct flat_view *view;
	const struct flat_link *link;
};

static bool is_link(uint64_t value, const void *key)
{
	const struct link_key *wanted = key;
	const struct flat_link *link = &wanted->view->links[value - 1];

	return link->caller == wanted->link->caller && link->callee == wanted->link->callee &&
	       link->has_caller == wanted->link->has_caller;
}

static struct flat_link *link_for(struct merger *merger, const struct flat_link *wanted)
{
	struct flat_view *view = merger->view;
	struct link_key key = {view, wanted};
	uint64_t hash =
		hash_word(((uint64_t)wanted->caller << 32) | wanted->callee) + wanted->has_caller;
	uint64_t value = hashset_find(&merger->links, hash, is_link, &key);
	struct flat_link *grown;

	if (value)
		return &view->links[value - 1];
	grown = array_grow(view->links, &merger->link_capacity, view->link_count + 1,
			   sizeof(*view->links));
	if (!grown)
		return NULL;
	view->links = grown;
	view->links[view->link_count] = *wanted;
	if (!hashset_insert(&merger->links, hash, view->link_count + 1))
		return NULL;
	return &view->links[view->link_count++];
}

static bool view_add_edge(struct merger *merger, size_t tree, const struct flat_edge *edge)
{
	const struct region_union *regions = merger->view->regions;
	struct flat_link wanted = {
		.caller = region_union_number(regions, tree, edge->caller),
		.callee = region_union_number(regions, tree, edge->callee),
		.has_caller = edge->caller != 0,
	};
	struct flat_link *link = link_for(merger, &wanted);

	if (!link)
		return false;
	call_count_add(&link->calls, &call_count_of(edge));
	link->self_ns += edge->self_ns;
	link->total_ns += edge->total_ns;
	calltree_estimate_add(&link->estimate, &edge->estimate);
	return true;
}

static bool view_add_flat(struct merger *merger, size_t tree, const struct flat *flat)
{
	const struct region_union *regions = merger->view->regions;

	for (uint32_t i = 0; i < flat->row_count; i++) {
		const struct flat_row *row = &flat->rows[i];

		if (row->region != 0 &&
		    !view_add_row(merger, region_union_number(regions, tree, row->region), row))
			return false;
	}
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		if (!view_add_edge(merger, tree, &flat->edges[i]))
			return false;
	}
	return true;
}

static bool view_add_tree(struct merger *merger, size_t index, const struct calltree *tree,
			  uint32_t thread)
{
	bool *threads = NULL;
	struct flat *flat;
	bool is_added;

	if (thread != KYMO_NO_THREAD) {
		threads = calloc(tree->recording->thread_count + 1, sizeof(*threads));
		if (!threads)
			return false;
		if (thread < tree->recording->thread_count)
			threads[thread] = true;
	}
	is_added = flat_new(tree, threads, &flat) == KYMO_OK;
	free(threads);
	if (!is_added)
		return false;
	is_added = view_add_flat(merger, index, flat);
	flat_free(flat);
	return is_added;
}

/* Errors of processes are independent: they add up as those of the estimate. */
static void link_set_interval(struct flat_link *link)
{
	double count = (double)link->calls.count;

	if (!link->calls.is_estimated)
		return;
	link->calls.low = (uint64_t)fmax(count - link->estimate.calls_below, 0);
	link->calls.high = link->calls.count + (uint64_t)link->estimate.calls_above;
}

static bool view_add_rest(struct merger *merger, uint32_t region, double ns)
{
	struct flat_entry *entry;

	if (ns < TIME_BASE_LEAST_NS)
		return true;
	entry = entry_for(merger, region);
	if (!entry)
		return false;
	entry->self_ns = entry->total_ns = ns;
	merger->view->rest_count++;
	return true;
}

static bool add_base(struct merger *merger, const struct calltree *const *trees, size_t tree_count,
		     uint32_t thread)
{
	struct flat_view *view = merger->view;

	view->base = time_base_of(trees, tree_count, thread);
	return view_add_rest(merger, view->regions->outside, view->base.outside_ns) &&
	       view_add_rest(merger, view->regions->measuring, view->base.measuring_ns);
}

enum kymo_status flat_view_new(const struct calltree *const *trees, size_t tree_count,
			       const struct region_union *regions, uint32_t thread,
			       struct flat_view **out)
{
	struct merger merger = {.view = calloc(1, sizeof(*merger.view))};
	bool is_complete;

	merger.entry_of = calloc(regions->count + 1, sizeof(*merger.entry_of));
	is_complete = merger.view && merger.entry_of;
	if (is_complete)
		merger.view->regions = regions;
	for (size_t i = 0; is_complete && i < tree_count; i++)
		is_complete = view_add_tree(&merger, i, trees[i], thread);
	is_complete = is_complete && add_base(&merger, trees, tree_count, thread);
	free(merger.entry_of);
	hashset_release(&merger.links);
	if (!is_complete) {
		flat_view_free(merger.view);
		return KYMO_MEMORY;
	}
	for (size_t i = 0; i < merger.view->link_count; i++)
		link_set_interval(&merger.view->links[i]);
	*out = merger.view;
	return KYMO_OK;
}

void flat_view_free(struct flat_view *view)
{
	if (!view)
		return;
	free(view->entries);
	free(view->links);
	free(view);
}

double flat_entry_deviation(const struct flat_entry *entry)
{
	double n = (double)entry->closed_calls, squares;

	if (entry->closed_calls < 2)
		return 0;
	/* Rounding of large sums may give a small negative value. */
	squares = entry->sum_squares_ns - entry->visits_ns * entry->visits_ns / n;
	return squares > 0 ? sqrt(squares / (n - 1)) : 0;
}

static double view_order_key(const struct flat_entry *entry, enum view_order order)
{
	switch (order) {
	case ORDER_TOTAL:
		return entry->total_ns;
	case ORDER_SELF:
		return entry->self_ns;
	case ORDER_CALLS:
		return (double)entry->calls;
	case ORDER_MIN:
		return entry->min_ns;
	case ORDER_MAX:
		return entry->max_ns;
	case ORDER_MEAN:
		return entry->calls ? entry->total_ns / (double)entry->calls : 0;
	case ORDER_NAME:
		break;
	}
	return 0;
}

struct sorting {
	const struct flat_view *view;
	enum view_order order;
};

static int compare_entries(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct flat_entry *a = left, *b = right;
	double first = view_order_key(a, sorting->order),
	       second = view_order_key(b, sorting->order);
	char name[256], other[256];
	int difference;

	if (first != second)
		return first < second ? 1 : -1;
	region_name(sorting->view->regions->regions[a->region], name, sizeof(name));
	region_name(sorting->view->regions->regions[b->region], other, sizeof(other));
	difference = strcmp(name, other);
	return difference ? difference : a->region < b->region ? -1 : 1;
}

void flat_view_sort(struct flat_view *view, enum view_order order)
{
	struct sorting sorting = {view, order};

	size_t count = view->count - view->rest_count;

	if (count > 1)
		qsort_r(view->entries, count, sizeof(*view->entries), compare_entries, &sorting);
}

void flat_view_keep(struct flat_view *view,
		    bool (*keep)(const void *context, const struct region *region),
		    const void *context)
{
	size_t kept = 0, rest = 0;

	for (size_t i = 0; i < view->count; i++) {
		if (!keep(context, view->regions->regions[view->entries[i].region]))
			continue;
		rest += flat_entry_is_rest(view, i);
		view->entries[kept++] = view->entries[i];
	}
	view->count = kept;
	view->rest_count = rest;
}
