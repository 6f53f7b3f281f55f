/* Sums over samples, from the metrics of the trees that were made of them. */
#include "model/profile/sample_shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/metric.h"
#include "text/quantity.h"

/* Of a path including its subtree; NULL = the tree has no such metric. */
static const struct calltree_metric *shares_find_metric(const struct calltree *tree, uint32_t node,
							enum kymo_metric metric)
{
	for (uint32_t i = 0; tree->metrics && i < tree->metric_count; i++)
		if (tree->metric_ids[i] == (uint32_t)metric)
			return &tree->metrics[(size_t)node * tree->metric_count + i];
	return NULL;
}

static bool add_seconds(const struct calltree *tree, uint32_t node, enum kymo_metric metric,
			double *seconds)
{
	const struct calltree_metric *found = shares_find_metric(tree, node, metric);

	*seconds += found ? found->sum * 1e-9 : 0;
	return found != NULL;
}

static bool shares_is_idle(const struct calltree *tree, const struct calltree_node *node)
{
	return tree->idle_thread_count > 0 && node->depth == 1 &&
	       strcmp(tree->recording->regions[node->region].name, SAMPLED_IDLE_THREADS) == 0;
}

static void shares_add_tree(struct sample_shares *shares, const struct calltree *tree)
{
	shares->idle_thread_count += tree->idle_thread_count;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (shares_is_idle(tree, node))
			add_seconds(tree, i, KYMO_METRIC_SAMPLING_WAITING, &shares->idle_s);
		if (node->depth > 0)
			continue;
		shares->has_cpu |=
			add_seconds(tree, i, KYMO_METRIC_SAMPLING_CPU_CLOCK, &shares->cpu_s);
		shares->has_wall |=
			add_seconds(tree, i, KYMO_METRIC_SAMPLING_WALL_CLOCK, &shares->wall_s);
		add_seconds(tree, i, KYMO_METRIC_SAMPLING_WAITING, &shares->waiting_s);
	}
}

void sample_shares_of(const struct loaded_run *loaded, struct sample_shares *out)
{
	*out = (struct sample_shares){.weight = loaded->weight,
				      .is_chosen = loaded->is_weight_chosen};
	for (size_t i = 0; loaded->is_sampled && i < loaded->tree_count; i++)
		shares_add_tree(out, loaded->trees[i]);
}

static void add_idle(const struct sample_shares *shares, char *text, size_t size)
{
	size_t used = strlen(text);
	char time[QUANTITY_MAX], count[QUANTITY_MAX];

	if (shares->idle_thread_count > 0 && used < size)
		snprintf(text + used, size - used, ", %s of it %s thread%s that did nothing else",
			 quantity_duration(shares->idle_s, time),
			 quantity_count(shares->idle_thread_count, count),
			 shares->idle_thread_count == 1 ? "" : "s");
}

static void write_cpu(const struct sample_shares *shares, char *text, size_t size)
{
	char cpu[QUANTITY_MAX], waiting[QUANTITY_MAX];
	size_t used = (size_t)snprintf(text, size, "of the %s that threads were on a processor",
				       quantity_duration(shares->cpu_s, cpu));

	if (shares->waiting_s <= 0 || used >= size)
		return;
	snprintf(text + used, size - used, "; they also waited %s",
		 quantity_duration(shares->waiting_s, waiting));
	add_idle(shares, text, size);
}

static void write_wall(const struct sample_shares *shares, char *text, size_t size)
{
	char wall[QUANTITY_MAX], cpu[QUANTITY_MAX];
	size_t used = (size_t)snprintf(text, size, "of the %s of all threads",
				       quantity_duration(shares->wall_s, wall));

	if (shares->has_cpu && used < size)
		snprintf(text + used, size - used, ", which were on a processor for %s of it%s",
			 quantity_duration(shares->cpu_s, cpu),
			 shares->is_chosen ? ": too little to go by" : "");
}

void sample_shares_text(const struct sample_shares *shares, char *text, size_t size)
{
	*text = '\0';
	if (shares->weight == SAMPLED_BY_EVENT)
		return;
	if (shares->has_cpu && (shares->weight == SAMPLED_BY_CPU || !shares->has_wall))
		write_cpu(shares, text, size);
	else if (shares->has_wall)
		write_wall(shares, text, size);
}

static void shares_add_waits(double *waits, const struct region_union *regions, size_t index,
			     const struct calltree *tree, uint32_t thread)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		double seconds = 0;

		if (node->depth == 0 || (thread != KYMO_NO_THREAD && node->thread != thread) ||
		    !add_seconds(tree, i, KYMO_METRIC_SAMPLING_WAITING, &seconds))
			continue;
		waits[region_union_number(regions, index, node->region)] += seconds;
		if (node->depth > 1)
			waits[region_union_number(regions, index,
						  tree->nodes[node->parent].region)] -= seconds;
	}
}

double *sample_waits_of(const struct loaded_run *loaded, const struct region_union *regions,
			uint32_t thread)
{
	double *waits = calloc((size_t)regions->count + 1, sizeof(*waits));

	for (size_t i = 0; waits && i < loaded->tree_count; i++)
		shares_add_waits(waits, regions, i, loaded->trees[i], thread);
	for (uint32_t i = 0; waits && i < regions->count; i++)
		waits[i] = waits[i] > 1e-9 ? waits[i] : 0; /* rounding errors of the subtraction */
	return waits;
}
