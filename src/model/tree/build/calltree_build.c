/* Common code for building a call-path tree: memory for nodes, the links between them, threads at
 * the nodes that created them, and foreign time.
 *
 * Nodes come parents first, so one pass backwards sees every child before its parent. */
#include "model/tree/build/calltree_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/functions/foreign_time.h"
#include "model/functions/functions.h"

static void finish_links(struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct calltree_node *node = &tree->nodes[i];

		node->first_child = CALLTREE_NONE;
		node->next_sibling = CALLTREE_NONE;
		node->creates_thread = CALLTREE_NONE;
		node->depth =
			node->parent == CALLTREE_NONE ? 0 : tree->nodes[node->parent].depth + 1;
	}
	for (uint32_t i = tree->node_count; i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		node->next_sibling = tree->nodes[node->parent].first_child;
		tree->nodes[node->parent].first_child = i;
	}
}

/* The node under which a thread is shown, if it belongs to an earlier thread: this prevents cycles
 * of these links. */
static uint32_t creator_of(const struct calltree *tree, const uint32_t *creators, uint32_t number)
{
	const struct thread *thread = &tree->recording->threads[number];
	uint32_t creator = creators[number];

	if (creator == CALLTREE_NONE && thread->parent < number)
		creator = tree->thread_root[thread->parent];
	if (creator != CALLTREE_NONE && tree->nodes[creator].thread >= number)
		return CALLTREE_NONE;
	return creator;
}

static void finish_threads(struct calltree *tree, const uint32_t *creators)
{
	for (uint32_t i = tree->recording->thread_count; i-- > 0;) {
		uint32_t creator = creator_of(tree, creators, i);

		tree->thread_next[i] = CALLTREE_NONE;
		if (creator == CALLTREE_NONE || tree->thread_root[i] == CALLTREE_NONE)
			continue;
		tree->thread_next[i] = tree->nodes[creator].creates_thread;
		tree->nodes[creator].creates_thread = i;
	}
}

static void finish_counts(struct calltree *tree)
{
	const struct region *regions = tree->recording->regions;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		tree->call_count += node->count;
		if (regions[node->region].kind == KYMO_REGION_PYTHON_C ||
		    regions[node->region].kind == KYMO_REGION_PYTHON_METHOD)
			tree->c_call_count += node->count;
		else if (regions[node->region].kind == KYMO_REGION_PYTHON &&
			 regions[node->region].flags & KYMO_REGION_GENERATOR)
			tree->resume_count += node->count;
		if (functions_has_region(tree->recording->functions, node->region))
			tree->function_call_count += node->count;
	}
}

uint32_t *calltree_indexes(uint32_t count)
{
	uint32_t *indexes = malloc((count ? count : 1) * sizeof(*indexes));

	for (uint32_t i = 0; indexes && i < count; i++)
		indexes[i] = CALLTREE_NONE;
	return indexes;
}

void calltree_finish(struct calltree *tree, const uint32_t *creators)
{
	finish_links(tree);
	finish_threads(tree, creators);
	finish_counts(tree);
}

struct calltree_node *calltree_reserve(struct calltree *tree, size_t count)
{
	size_t need = (size_t)tree->node_count + count;
	size_t row = tree->metric_count * sizeof(*tree->metrics);
	struct calltree_metric *metrics;
	struct calltree_node *nodes;

	if (need >= CALLTREE_NONE)
		return NULL;
	nodes = realloc(tree->nodes, (need + 1) * sizeof(*nodes));
	if (!nodes)
		return NULL;
	tree->nodes = nodes;
	if (tree->metrics) {
		metrics = realloc(tree->metrics, (need + 1) * row);
		if (!metrics)
			return NULL;
		tree->metrics = metrics;
		memset(&metrics[(size_t)tree->node_count * tree->metric_count], 0, count * row);
	}
	return &nodes[tree->node_count];
}

/* A thread of which only the time is known so far. */
static bool add_root(struct calltree *tree, uint32_t number)
{
	const struct recording *recording = tree->recording;
	const struct thread *thread = &recording->threads[number];
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;
	struct calltree_node *root = calltree_reserve(tree, 1);

	if (!root)
		return false;
	*root = (struct calltree_node){
		.thread = number,
		.parent = CALLTREE_NONE,
		.count = 1,
		.is_open = !recording->is_closed && !thread->end_ticks,
	};
	tree->thread_root[number] = tree->node_count++;
	if (end < thread->start_ticks)
		return true;
	root->sum_ns = (double)(end - thread->start_ticks) * recording_tick_ns(recording);
	root->closed_count = !root->is_open;
	if (root->is_open)
		return true;
	root->min_ns = root->max_ns = root->sum_ns;
	root->sum_squares_ns = root->sum_ns * root->sum_ns;
	return true;
}

void calltree_leave_out(struct calltree *tree, uint32_t whole, double ns)
{
	for (uint32_t i = whole; i != CALLTREE_NONE; i = tree->nodes[i].parent) {
		struct calltree_node *node = &tree->nodes[i];

		node->sum_ns = fmax(node->sum_ns - ns, 0);
		if (node->closed_count == 1) {
			node->min_ns = node->max_ns = node->sum_ns;
			node->sum_squares_ns = node->sum_ns * node->sum_ns;
		}
	}
}

void calltree_leave_foreign_out(struct calltree *tree, uint32_t thread, uint32_t whole,
				const struct foreign_time *foreign)
{
	double tick_ns = recording_tick_ns(tree->recording);
	double away_ns = (double)foreign->left_out.away * tick_ns;
	double own_ns = (double)foreign->left_out.own * tick_ns;

	calltree_leave_out(tree, whole, away_ns + own_ns);
	tree->off_ns += away_ns;
	tree->own_work_ns += (double)foreign->own_total * tick_ns;
	tree->measuring_ns += own_ns;
	tree->thread_measuring_ns[thread] += own_ns;
}

uint32_t *calltree_wholes(struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	uint32_t *wholes = calltree_indexes(recording->thread_count);
	uint32_t recorded = tree->node_count;

	for (uint32_t i = 0; wholes && i < recording->thread_count; i++) {
		if (!recording->threads[i].is_present)
			continue;
		if (tree->thread_root[i] == CALLTREE_NONE && !add_root(tree, i)) {
			free(wholes);
			return NULL;
		}
	}
	for (uint32_t i = 0; wholes && i < recorded; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		/* There are several: use the root itself. */
		if (node->parent != CALLTREE_NONE &&
		    node->parent == tree->thread_root[node->thread])
			wholes[node->thread] =
				wholes[node->thread] == CALLTREE_NONE ? i : node->parent;
	}
	for (uint32_t i = 0; wholes && i < recording->thread_count; i++) {
		uint32_t child = wholes[i];

		if (child == CALLTREE_NONE ||
		    (recording->regions[tree->nodes[child].region].kind != KYMO_REGION_PROGRAM &&
		     recording->regions[tree->nodes[child].region].kind != KYMO_REGION_PTHREAD))
			wholes[i] = tree->thread_root[i];
	}
	return wholes;
}

struct calltree *calltree_alloc(const struct recording *recording)
{
	struct calltree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->recording = recording;
	tree->metric_ids = recording->header.metrics;
	tree->metric_count = recording->header.metric_count;
	tree->thread_root = calltree_indexes(recording->thread_count);
	tree->thread_next = calltree_indexes(recording->thread_count);
	tree->thread_measuring_ns = calloc((size_t)recording->thread_count + 1, sizeof(double));
	if (tree->thread_root && tree->thread_next && tree->thread_measuring_ns)
		return tree;
	free(tree->thread_root);
	free(tree->thread_next);
	free(tree->thread_measuring_ns);
	free(tree);
	return NULL;
}
