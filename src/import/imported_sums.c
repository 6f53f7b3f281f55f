/* Sums over imported data. */
#include "import/imported_sums.h"

#include <stdlib.h>

static uint64_t sums_whole(double value)
{
	if (!(value > 0))
		return 0;
	return value < 9e18 ? (uint64_t)value : UINT64_C(9000000000000000000);
}

/* carry: per region. */
static void round_selves(struct imported_sums *sums, const struct imported *imported, double *carry)
{
	for (size_t i = 1; i < imported->node_count; i++) {
		const struct imported_node *node = &imported->nodes[i];
		double wanted = node->self_ns + carry[node->region];

		sums->nodes[i].self_ns = sums_whole(wanted + 0.5);
		if (wanted < 9e15)
			carry[node->region] = wanted - (double)sums->nodes[i].self_ns;
	}
}

static uint64_t sums_add_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Add a node's metrics to its parent's. */
static void sums_add_metrics(struct imported_sums *sums, const struct imported *imported,
			     size_t node)
{
	size_t count = imported->metric_count;
	struct imported_amount *from = sums->metrics + node * count;
	struct imported_amount *to = sums->metrics + imported->nodes[node].parent * count;

	for (size_t k = 0; k < count; k++) {
		to[k].self += from[k].self;
		to[k].count = sums_add_up(to[k].count, from[k].count);
	}
}

static void sums_add_to_parents(struct imported_sums *sums, const struct imported *imported)
{
	for (size_t i = 1; i < imported->node_count; i++) {
		sums->nodes[i].total_ns = sums->nodes[i].self_ns;
		sums->nodes[i].count = imported->nodes[i].count;
		for (uint32_t k = 0; k < imported->metric_count; k++) {
			const struct imported_metric *metric = &imported->metrics[k];

			if (i < metric->capacity)
				sums->metrics[i * imported->metric_count + k] = metric->amounts[i];
		}
	}
	for (size_t i = imported->node_count; i-- > 1;) {
		const struct imported_node *node = &imported->nodes[i];
		struct imported_sum *parent = &sums->nodes[node->parent];

		if (!node->parent)
			continue;
		parent->total_ns = sums_add_up(parent->total_ns, sums->nodes[i].total_ns);
		if (imported->threads[node->thread].is_sampled)
			parent->count = sums_add_up(parent->count, sums->nodes[i].count);
		if (imported->metric_count)
			sums_add_metrics(sums, imported, i);
	}
}

/* The earliest time in the file, and the total duration. */
static void find_origin(struct imported_sums *sums, const struct imported *imported)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 1; i <= imported->thread_count; i++) {
		const struct imported_thread *thread = &imported->threads[i];

		first = thread->first_ns < first ? thread->first_ns : first;
		last = thread->last_ns > last ? thread->last_ns : last;
	}
	for (size_t i = 0; i < imported->point_count; i++) {
		first = imported->points[i].ns < first ? imported->points[i].ns : first;
		last = imported->points[i].ns > last ? imported->points[i].ns : last;
	}
	if (first <= last) {
		sums->origin_ns = first;
		sums->duration_ns = (uint64_t)last - (uint64_t)first;
	}
	for (size_t i = 1; i <= imported->thread_count && first > last; i++) {
		uint64_t total = sums->nodes[imported->threads[i].root].total_ns;

		if (total > sums->duration_ns)
			sums->duration_ns = total;
	}
}

static uint32_t sums_process_of(const struct imported *imported, size_t node)
{
	return imported->threads[imported->nodes[node].thread].process;
}

/* Parents stay before their children. */
static void group_nodes(struct imported_sums *sums, const struct imported *imported)
{
	size_t *first = sums->first;

	for (size_t i = 1; i < imported->node_count; i++)
		first[sums_process_of(imported, i) + 2]++;
	for (size_t p = 2; p < imported->process_count + 3; p++)
		first[p] += first[p - 1];
	for (size_t i = 1; i < imported->node_count; i++)
		sums->by_process[first[sums_process_of(imported, i) + 1]++] = (uint32_t)i;
}

enum kymo_status imported_sums_init(struct imported_sums *sums, const struct imported *imported)
{
	double *carry = calloc(imported->region_count, sizeof(*carry));

	*sums = (struct imported_sums){0};
	sums->nodes = calloc(imported->node_count, sizeof(*sums->nodes));
	sums->by_process = calloc(imported->node_count, sizeof(*sums->by_process));
	sums->first = calloc(imported->process_count + 3, sizeof(*sums->first));
	if (imported->metric_count)
		sums->metrics = calloc(imported->node_count * imported->metric_count,
				       sizeof(*sums->metrics));
	if (!carry || !sums->nodes || !sums->by_process || !sums->first ||
	    (imported->metric_count && !sums->metrics)) {
		free(carry);
		return KYMO_MEMORY;
	}
	round_selves(sums, imported, carry);
	free(carry);
	sums_add_to_parents(sums, imported);
	find_origin(sums, imported);
	group_nodes(sums, imported);
	return KYMO_OK;
}

void imported_sums_release(struct imported_sums *sums)
{
	free(sums->nodes);
	free(sums->metrics);
	free(sums->by_process);
	free(sums->first);
	*sums = (struct imported_sums){0};
}
