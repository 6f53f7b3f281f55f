/* Samples as slices.  A node determines the whole path to it, so the common part of two samples
 * ends at the innermost depth at which both have the same node. */
#include "import/imported_slices.h"

#include <stdlib.h>

struct slicing {
	const struct imported *imported;
	slice_fn put;
	void *context;
	uint32_t *open; /* nodes by depth - 1 */
	uint32_t *path; /* scratch */
	uint32_t depth;
};

static int slices_compare(const void *left, const void *right)
{
	const struct imported_sample *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static void imported_slices_close_to(struct slicing *slicing, uint32_t depth, int64_t ns)
{
	for (; slicing->depth > depth; slicing->depth--)
		slicing->put(slicing->context, ns, 0);
}

static void go_to(struct slicing *slicing, uint32_t node, int64_t ns)
{
	const struct imported_node *nodes = slicing->imported->nodes;
	uint32_t depth = nodes[node].depth;
	uint32_t count = 0;

	while (depth > 0 && (depth > slicing->depth || slicing->open[depth - 1] != node)) {
		slicing->path[count++] = node;
		node = nodes[node].parent;
		depth--;
	}
	imported_slices_close_to(slicing, depth, ns);
	while (count > 0) {
		node = slicing->path[--count];
		slicing->open[slicing->depth++] = node;
		slicing->put(slicing->context, ns, node);
	}
}

static void slice_all(struct slicing *slicing, const struct imported_thread *thread)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < thread->sample_count; i++) {
		const struct imported_sample *sample = &thread->samples[i];

		if (sample->begin_ns > end)
			imported_slices_close_to(slicing, 0, end);
		else if (sample->end_ns <= end)
			continue;
		go_to(slicing, sample->node, sample->begin_ns > end ? sample->begin_ns : end);
		end = sample->end_ns;
	}
	imported_slices_close_to(slicing, 0, end);
}

enum kymo_status imported_slices(struct imported *imported, uint32_t number, slice_fn put,
				 void *context)
{
	struct imported_thread *thread = &imported->threads[number];
	struct slicing slicing = {.imported = imported, .put = put, .context = context};
	enum kymo_status status = KYMO_MEMORY;

	if (thread->sample_count == 0)
		return KYMO_OK;
	qsort(thread->samples, thread->sample_count, sizeof(*thread->samples), slices_compare);
	slicing.open = calloc(IMPORT_DEPTH_MAX + 1, sizeof(*slicing.open));
	slicing.path = calloc(IMPORT_DEPTH_MAX + 1, sizeof(*slicing.path));
	if (slicing.open && slicing.path) {
		slice_all(&slicing, thread);
		status = KYMO_OK;
	}
	free(slicing.open);
	free(slicing.path);
	return status;
}
