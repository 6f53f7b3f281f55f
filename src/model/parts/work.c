/* Work of call paths.  Nodes come after their parents, so one pass determines which code each is
 * below. */
#include "model/parts/work.h"

#include <stdlib.h>

#include "model/parts/runtime_code.h"

#define NO_METRIC UINT32_MAX
#define IDLE_CPU  0.01 /* of its lifetime: a thread that used less never left its wait */

struct work {
	const struct calltree *tree;
	double *own_ns;
	unsigned char *codes; /* by node: enum runtime_code */
	uint32_t cpu_metric;
};

static bool region_is_wait(const struct region *region)
{
	return region->kind == KYMO_REGION_PTHREAD && region->flags & KYMO_REGION_OBJECT;
}

bool work_is_none_of(const struct region *region)
{
	return region_is_wait(region) || runtime_code_waits(runtime_code_of(region));
}

/* The first thread is the program itself and never counts as idle. */
bool work_thread_is_idle(const struct calltree *tree, uint32_t thread)
{
	const struct thread *threads = tree->recording->threads;
	uint64_t life_ns = recording_thread_ns(tree->recording, thread);

	return tree->effective_count <= 0 && thread > 0 && threads[0].cpu_ns > 0 &&
	       (double)threads[thread].cpu_ns < IDLE_CPU * (double)life_ns;
}

static const struct calltree_metric *work_metric_of(const struct work *work, uint32_t index)
{
	return &work->tree->metrics[(size_t)index * work->tree->metric_count + work->cpu_metric];
}

/* The metric with the CPU time of samples; NO_METRIC if there is none. */
static uint32_t find_cpu(struct work *work)
{
	const struct calltree *tree = work->tree;
	double sum = 0;

	work->cpu_metric = NO_METRIC;
	for (uint32_t i = 0; tree->effective_count > 0 && tree->metrics && i < tree->metric_count;
	     i++)
		if (tree->metric_ids[i] == KYMO_METRIC_SAMPLING_CPU_CLOCK)
			work->cpu_metric = i;
	for (uint32_t i = 0; work->cpu_metric != NO_METRIC && i < tree->recording->thread_count;
	     i++)
		if (tree->thread_root[i] != CALLTREE_NONE)
			sum += work_metric_of(work, tree->thread_root[i])->sum;
	return sum > 0 ? work->cpu_metric : NO_METRIC;
}

/* Own time of a visit: if known, its CPU time without that of its callees. */
static double work_own_ns(const struct work *work, uint32_t index)
{
	const struct calltree_node *nodes = work->tree->nodes;
	double ns;

	if (work->cpu_metric == NO_METRIC)
		return nodes[index].self_ns;
	ns = work_metric_of(work, index)->sum;
	for (uint32_t child = nodes[index].first_child; child != CALLTREE_NONE;
	     child = nodes[child].next_sibling)
		ns -= work_metric_of(work, child)->sum;
	return ns > 0 ? ns : 0;
}

static double work_of(struct work *work, uint32_t index)
{
	const struct calltree_node *node = &work->tree->nodes[index];
	const struct region *region = &work->tree->recording->regions[node->region];
	enum runtime_code code;

	if (node->parent == CALLTREE_NONE) {
		work->codes[index] = RUNTIME_CODE_NONE;
		return 0;
	}
	code = runtime_code_below((enum runtime_code)work->codes[node->parent], region);
	work->codes[index] = (unsigned char)code;
	return region_is_wait(region) || runtime_code_waits(code) ? 0 : work_own_ns(work, index);
}

static bool *find_idle(const struct calltree *tree)
{
	uint32_t count = tree->recording->thread_count;
	bool *is_idle = calloc((size_t)count + 1, sizeof(*is_idle));

	for (uint32_t i = 0; is_idle && i < count; i++)
		is_idle[i] = work_thread_is_idle(tree, i);
	return is_idle;
}

double *work_of_nodes(const struct calltree *tree)
{
	struct work work = {
		.tree = tree,
		.own_ns = calloc((size_t)tree->node_count + 1, sizeof(*work.own_ns)),
		.codes = calloc((size_t)tree->node_count + 1, sizeof(*work.codes)),
	};
	bool *is_idle = find_idle(tree);

	if (!work.own_ns || !work.codes || !is_idle) {
		free(work.own_ns);
		work.own_ns = NULL;
	} else {
		work.cpu_metric = find_cpu(&work);
		for (uint32_t i = 0; i < tree->node_count; i++) {
			double ns = work_of(&work, i);

			work.own_ns[i] = is_idle[tree->nodes[i].thread] ? 0 : ns;
		}
	}
	free(work.codes);
	free(is_idle);
	return work.own_ns;
}
