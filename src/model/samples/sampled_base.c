/* Chooses the weight of samples. A tree in a merged recording has its samples' wall and CPU time as
 * metrics, totals of each call path: reweighting selects another of them. */
#include "model/samples/sampled_base.h"

#include <math.h>

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"
#include "model/samples/sampled_idle.h"

/* Of the longest thread's time: less means a program that starts, sleeps and ends. */
#define CPU_LEAST 0.05
#define NO_METRIC UINT32_MAX

static void sampled_base_add_thread(struct sampled_base *base, const struct samples *samples,
				    uint32_t thread)
{
	struct sampled_scale scale = sampled_scale(samples);
	struct sample_position position = {0};
	struct sample sample;
	double wall_ns = 0;

	while (samples_next(samples, thread, &position, &sample)) {
		if (sample.kind == scale.wall_kind) {
			wall_ns += sample.wall_ns;
			base->has_wall = true;
		}
		if (sample.kind != scale.cpu_kind || isnan(sample.cpu_ns))
			continue;
		base->cpu_ns += sample.cpu_ns;
		base->has_cpu = true;
	}
	base->longest_ns = fmax(base->longest_ns, wall_ns);
}

void sampled_base_add(struct sampled_base *base, const struct samples *samples)
{
	for (uint32_t i = 0; i < samples->recording->thread_count; i++)
		sampled_base_add_thread(base, samples, i);
}

static uint32_t base_find_metric(const struct calltree *tree, enum kymo_metric metric)
{
	for (uint32_t i = 0; tree->metrics && i < tree->metric_count; i++)
		if (tree->metric_ids[i] == (uint32_t)metric)
			return i;
	return NO_METRIC;
}

static const struct calltree_metric *base_metric_of(const struct calltree *tree, uint32_t node,
						    uint32_t metric)
{
	return &tree->metrics[(size_t)node * tree->metric_count + metric];
}

void sampled_base_add_tree(struct sampled_base *base, const struct calltree *tree)
{
	uint32_t wall = base_find_metric(tree, KYMO_METRIC_SAMPLING_WALL_CLOCK);
	uint32_t cpu = base_find_metric(tree, KYMO_METRIC_SAMPLING_CPU_CLOCK);

	if (!(tree->recording->header.flags & KYMO_HEADER_SAMPLED)) {
		base->has_calls |= tree->call_count > 0;
		return;
	}
	/* A merged recording merges threads of one name; their time is the run's. */
	if (wall != NO_METRIC)
		base->longest_ns =
			fmax(base->longest_ns,
			     (double)recording_ns(tree->recording, tree->recording->end_ticks));
	base->has_wall |= wall != NO_METRIC;
	base->has_cpu |= cpu != NO_METRIC;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].parent != CALLTREE_NONE)
			continue;
		if (cpu != NO_METRIC)
			base->cpu_ns += base_metric_of(tree, i, cpu)->sum;
	}
}

enum sampled_by sampled_base_choose(const struct sampled_base *base)
{
	bool has_cpu = base->has_cpu && base->cpu_ns >= CPU_LEAST * base->longest_ns;

	return has_cpu && !base->has_calls ? SAMPLED_BY_CPU : SAMPLED_BY_WALL;
}

/* Children come after their parents. */
static void base_find_self(struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].self_ns = tree->nodes[i].sum_ns;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (node->parent != CALLTREE_NONE)
			tree->nodes[node->parent].self_ns -= node->sum_ns;
	}
	for (uint32_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].self_ns = fmax(tree->nodes[i].self_ns, 0);
}

void sampled_base_weigh(struct calltree *tree, enum sampled_by by)
{
	uint32_t metric = by == SAMPLED_BY_CPU
				  ? base_find_metric(tree, KYMO_METRIC_SAMPLING_CPU_CLOCK)
				  : NO_METRIC;
	double sum = 0, squares = 0;

	if (!(tree->recording->header.flags & KYMO_HEADER_SAMPLED) || metric == NO_METRIC)
		return;
	sampled_idle_fold(tree);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_metric *cpu = base_metric_of(tree, i, metric);
		struct calltree_node *node = &tree->nodes[i];

		node->sum_ns = cpu->sum;
		node->min_ns = cpu->min;
		node->max_ns = cpu->max;
		node->sum_squares_ns = cpu->sum_squares;
		if (node->parent == CALLTREE_NONE) {
			sum += cpu->sum;
			squares += cpu->sum_squares;
		}
	}
	base_find_self(tree);
	if (squares > 0)
		tree->effective_count = sum * sum / squares;
}
