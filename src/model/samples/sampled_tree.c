/* Call paths from samples. A thread's stacks are a tree already, parents before children.  One pass
 * over them finds the call path of each, from its caller's; one pass over the samples adds their
 * weights to these; one pass backwards adds children to their parents.  So the run time depends on
 * the number of stacks and samples, not on their depth. */
#include "model/samples/sampled_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/samples/sampled_input.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_threads.h"
#include "model/tree/build/calltree_build.h"

struct tally { /* sums over the samples of one weight in a node and below it */
	uint64_t count;
	double sum, min, max, sum_squares;
};

struct tree_builder {
	struct sampled_input in;
	struct calltree *tree;
	size_t node_capacity, tally_capacity;
	struct tally *tallies; /* SAMPLED_WEIGHTS for each node */
	double *self;	       /* by the weight in use */
	size_t self_capacity;
	struct hashset children; /* parent and region -> node + 1 */
	uint32_t gil_region;	 /* 0 = not needed yet */
	uint32_t idle_region;	 /* likewise */
	/* of the current thread */
	uint32_t thread, root;
	struct sampled_stack *stacks;
	uint32_t *nodes; /* node of each stack */
	uint32_t idle;	 /* the node of all stacks if the thread never left its wait; or NONE */
};

static bool grow_nodes(struct tree_builder *builder)
{
	size_t need = builder->tree->node_count + (size_t)1;
	void *grown = array_grow(builder->tree->nodes, &builder->node_capacity, need,
				 sizeof(*builder->tree->nodes));

	if (!grown || need >= CALLTREE_NONE)
		return false;
	builder->tree->nodes = grown;
	grown = array_grow(builder->tallies, &builder->tally_capacity, need,
			   SAMPLED_WEIGHTS * sizeof(*builder->tallies));
	if (!grown)
		return false;
	builder->tallies = grown;
	grown = array_grow(builder->self, &builder->self_capacity, need, sizeof(*builder->self));
	if (!grown)
		return false;
	builder->self = grown;
	return true;
}

/* CALLTREE_NONE = no memory. */
static uint32_t tree_node_add(struct tree_builder *builder, uint32_t parent, uint32_t region)
{
	struct calltree *tree = builder->tree;
	uint32_t index = tree->node_count;

	if (!grow_nodes(builder))
		return CALLTREE_NONE;
	tree->nodes[index] = (struct calltree_node){
		.region = region,
		.thread = builder->thread,
		.parent = parent,
	};
	memset(&builder->tallies[(size_t)index * SAMPLED_WEIGHTS], 0,
	       SAMPLED_WEIGHTS * sizeof(*builder->tallies));
	builder->self[index] = 0;
	tree->node_count++;
	return index;
}

static uint32_t node_child(struct tree_builder *builder, uint32_t parent, uint32_t region)
{
	uint64_t key = hash_pair(parent, region);
	uint64_t known = hashset_find_key(&builder->children, key);
	uint32_t index;

	if (known)
		return (uint32_t)(known - 1);
	index = tree_node_add(builder, parent, region);
	if (index != CALLTREE_NONE && !hashset_insert(&builder->children, key, (uint64_t)index + 1))
		return CALLTREE_NONE;
	return index;
}

/* The node of a frame below parent, of several where functions are inlined. */
static uint32_t node_of_frame(struct tree_builder *builder, uint32_t parent,
			      const struct sampled_frame *frame)
{
	for (uint32_t i = 0; i < frame->region_count && parent != CALLTREE_NONE; i++)
		parent = node_child(builder, parent,
				    sampled_frames_region(builder->in.frames, frame, i));
	return parent;
}

static const struct sampled_frame *tree_frame_of(const struct tree_builder *builder, uint32_t id)
{
	return sampled_frames_at(builder->in.frames, builder->stacks[id].frame);
}

static uint32_t stack_place(struct tree_builder *builder, uint32_t id)
{
	const struct sampled_stack *stack = &builder->stacks[id];
	uint32_t above = builder->nodes[stack->parent];

	if (stack->step == SAMPLED_RESTART && !builder->in.options->keeps_internal)
		above = builder->root;
	return sampled_stack_is_shown(stack, builder->in.options)
		       ? node_of_frame(builder, above, tree_frame_of(builder, id))
		       : above;
}

/* If CPU time counts, threads without any are one row.  The first thread is the program itself and
 * never idle. */
static bool idle_begin(struct tree_builder *builder)
{
	builder->idle = CALLTREE_NONE;
	if (builder->thread == 0 || builder->in.scale.wall_kind == KYMO_SAMPLE_KINDS ||
	    !sampled_thread_is_idle(builder->in.samples, builder->thread, builder->stacks))
		return true;
	builder->tree->thread_is_idle[builder->thread] = true;
	if (builder->in.weight != SAMPLED_CPU || builder->in.options->keeps_internal)
		return true;
	if (!builder->idle_region)
		builder->idle_region =
			sampled_frames_named(builder->in.frames, SAMPLED_IDLE_THREADS);
	if (builder->idle_region)
		builder->idle = node_child(builder, builder->root, builder->idle_region);
	builder->tree->idle_thread_count++;
	return builder->idle != CALLTREE_NONE;
}

/* Find the call path of every stack that is used. */
static bool tree_stacks_begin(struct tree_builder *builder)
{
	uint32_t count = samples_stack_count(builder->in.samples, builder->thread);

	builder->root = tree_node_add(builder, CALLTREE_NONE, 0);
	builder->stacks =
		sampled_stacks_new(builder->in.frames, builder->in.samples, builder->thread);
	builder->nodes = malloc(count * sizeof(*builder->nodes));
	if (builder->root == CALLTREE_NONE || !builder->stacks || !builder->nodes)
		return false;
	builder->tree->thread_root[builder->thread] = builder->root;
	builder->nodes[0] = builder->root;
	if (!idle_begin(builder))
		return false;
	if (builder->idle != CALLTREE_NONE)
		return true;
	for (uint32_t id = 1; id < count; id++) {
		if (!builder->stacks[id].is_used)
			continue;
		builder->nodes[id] = stack_place(builder, id);
		if (builder->nodes[id] == CALLTREE_NONE)
			return false;
	}
	/* A stack of internal frames only is shown by its innermost one; these come after the
	 * others, which would be placed below them. */
	for (uint32_t id = 0; id < count; id++) {
		if (!builder->stacks[id].has_samples || builder->nodes[id] != builder->root)
			continue;
		builder->nodes[id] =
			node_of_frame(builder, builder->root, tree_frame_of(builder, id));
		if (builder->nodes[id] == CALLTREE_NONE)
			return false;
	}
	return true;
}

static void tally_add(struct tally *tally, uint64_t count, double weight, double squares)
{
	if (tally->count == 0 || weight < tally->min)
		tally->min = weight;
	if (tally->count == 0 || weight > tally->max)
		tally->max = weight;
	tally->count += count;
	tally->sum += weight;
	tally->sum_squares += squares;
}

static struct tally *tallies_of(struct tree_builder *builder, uint32_t node)
{
	return &builder->tallies[(size_t)node * SAMPLED_WEIGHTS];
}

/* The node of a sample; CALLTREE_NONE = no memory.  If its thread waits for the GIL the underlying
 * lock is an implementation detail. */
static uint32_t sample_node(struct tree_builder *builder, const struct sample *sample,
			    enum sampled_class class)
{
	uint32_t python = builder->stacks[sample->stack].python_stack;

	if (builder->idle != CALLTREE_NONE)
		return builder->idle;
	if (class != SAMPLED_GIL || !python || builder->in.options->keeps_internal)
		return builder->nodes[sample->stack];
	if (!builder->gil_region)
		builder->gil_region =
			sampled_frames_named(builder->in.frames, "[waits for the GIL]");
	return builder->gil_region
		       ? node_child(builder, builder->nodes[python], builder->gil_region)
		       : CALLTREE_NONE;
}

static uint32_t tree_sample_add(struct tree_builder *builder, const struct sample *sample,
				double *carried_ns)
{
	enum sampled_class class = sampled_classify(&builder->stacks[sample->stack].leaf, sample);
	uint32_t node = sample_node(builder, sample, class);
	double weights[SAMPLED_WEIGHTS];

	if (node == CALLTREE_NONE)
		return node;
	sampled_weigh(&builder->in.scale, sample, class, carried_ns, weights);
	for (int i = 0; i < SAMPLED_WEIGHTS; i++) {
		if (!isnan(weights[i]))
			tally_add(&tallies_of(builder, node)[i], 1, weights[i],
				  weights[i] * weights[i]);
	}
	if (!isnan(weights[builder->in.weight]))
		builder->self[node] += weights[builder->in.weight];
	return node;
}

static bool tree_samples_add(struct tree_builder *builder)
{
	struct sample_position position = {0};
	struct sample sample;
	double carried_ns = 0;
	uint32_t last = CALLTREE_NONE;

	while (samples_next(builder->in.samples, builder->thread, &position, &sample)) {
		uint32_t node = tree_sample_add(builder, &sample, &carried_ns);

		if (node == CALLTREE_NONE)
			return false;
		if (sample.kind == builder->in.scale.cpu_kind)
			last = node;
	}
	if (last == CALLTREE_NONE)
		return true;
	tallies_of(builder, last)[SAMPLED_CPU].sum += carried_ns;
	if (builder->in.weight == SAMPLED_CPU)
		builder->self[last] += carried_ns;
	return true;
}

static bool tree_thread_add(struct tree_builder *builder, uint32_t thread)
{
	bool is_complete;

	if (!sampled_thread_has_samples(builder->in.samples, thread))
		return true;
	builder->thread = thread;
	is_complete = tree_stacks_begin(builder) && tree_samples_add(builder);
	free(builder->stacks);
	free(builder->nodes);
	builder->stacks = NULL;
	builder->nodes = NULL;
	return is_complete;
}

/* Nodes come parents first, so every child is complete before it is added to its parent. */
static void sampled_tree_add_to_parents(struct tree_builder *builder)
{
	for (uint32_t i = builder->tree->node_count; i-- > 0;) {
		const struct calltree_node *node = &builder->tree->nodes[i];

		for (int k = 0; k < SAMPLED_WEIGHTS && node->parent != CALLTREE_NONE; k++) {
			const struct tally *from = &tallies_of(builder, i)[k];
			struct tally *to = &tallies_of(builder, node->parent)[k];

			if (!from->count)
				continue;
			if (to->count == 0 || from->min < to->min)
				to->min = from->min;
			if (to->count == 0 || from->max > to->max)
				to->max = from->max;
			to->count += from->count;
			to->sum += from->sum;
			to->sum_squares += from->sum_squares;
		}
	}
}

/* The sum over the threads; its count and squares give the effective sample size. */
static struct tally tree_total_of(struct tree_builder *builder, enum sampled_weight weight)
{
	struct tally total = {0};

	for (uint32_t i = 0; i < builder->tree->node_count; i++) {
		const struct tally *tally = &tallies_of(builder, i)[weight];

		if (builder->tree->nodes[i].parent != CALLTREE_NONE)
			continue;
		total.count += tally->count;
		total.sum += tally->sum;
		total.sum_squares += tally->sum_squares;
	}
	return total;
}

static void fill_nodes(struct tree_builder *builder)
{
	for (uint32_t i = 0; i < builder->tree->node_count; i++) {
		const struct tally *tally = &tallies_of(builder, i)[builder->in.weight];
		struct calltree_node *node = &builder->tree->nodes[i];

		node->count = node->closed_count = tally->count;
		node->sum_ns = tally->sum;
		node->self_ns = builder->self[i];
		node->min_ns = tally->min;
		node->max_ns = tally->max;
		node->sum_squares_ns = tally->sum_squares;
	}
}

static struct calltree_metric tree_scaled(const struct tally *tally, double scale)
{
	return (struct calltree_metric){
		.count = tally->count,
		.sum = tally->sum * scale,
		.min = tally->min * scale,
		.max = tally->max * scale,
		.sum_squares = tally->sum_squares * scale * scale,
	};
}

/* Fill the metrics: the weights that exist, and the percentage. */
static bool tree_fill_metrics(struct tree_builder *builder, const struct tally *total)
{
	static const uint32_t all[] = {KYMO_METRIC_SAMPLING_WALL_CLOCK,
				       KYMO_METRIC_SAMPLING_WAITING, KYMO_METRIC_SAMPLING_CPU_CLOCK,
				       KYMO_METRIC_SAMPLING_PERCENT};
	static const uint32_t wall[] = {KYMO_METRIC_SAMPLING_WALL_CLOCK,
					KYMO_METRIC_SAMPLING_WAITING, KYMO_METRIC_SAMPLING_PERCENT};
	bool has_wall = builder->in.scale.wall_kind != KYMO_SAMPLE_KINDS;
	bool has_cpu = tree_total_of(builder, SAMPLED_CPU).count > 0;
	double percent = total->sum > 0 ? 100 / total->sum : 0;
	struct calltree *tree = builder->tree;
	struct calltree_metric *next;

	tree->metric_ids = has_wall && !has_cpu ? wall
			   : has_wall		? all
			   : has_cpu		? all + 2
						: all + 3;
	tree->metric_count = 1u + 2u * has_wall + has_cpu;
	tree->metrics =
		calloc((tree->node_count + (size_t)1) * tree->metric_count, sizeof(*tree->metrics));
	if (!tree->metrics)
		return false;
	next = tree->metrics;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct tally *tallies = tallies_of(builder, i);

		if (has_wall) {
			*next++ = tree_scaled(&tallies[SAMPLED_WALL], 1);
			*next++ = tree_scaled(&tallies[SAMPLED_WAITING], 1);
		}
		if (has_cpu)
			*next++ = tree_scaled(&tallies[SAMPLED_CPU], 1);
		*next++ = tree_scaled(&tallies[builder->in.weight], percent);
	}
	return true;
}

/* The creating node is in another tree: threads are children of their creators' roots. */
static bool tree_finish(struct tree_builder *builder)
{
	uint32_t count = builder->in.recording->thread_count;
	uint32_t *creators = malloc((count + (size_t)1) * sizeof(*creators));
	struct tally total;

	if (!creators)
		return false;
	memset(creators, 0xff, (count + (size_t)1) * sizeof(*creators));
	sampled_tree_add_to_parents(builder);
	total = tree_total_of(builder, builder->in.weight);
	fill_nodes(builder);
	calltree_finish(builder->tree, creators);
	free(creators);
	builder->tree->call_count = total.count;
	if (total.sum_squares > 0)
		builder->tree->effective_count = total.sum * total.sum / total.sum_squares;
	return tree_fill_metrics(builder, &total);
}

static bool tree_build(struct tree_builder *builder)
{
	builder->tree = calltree_alloc(builder->in.recording);
	if (builder->tree)
		builder->tree->thread_is_idle =
			calloc((size_t)builder->in.recording->thread_count + 1, sizeof(bool));
	if (!builder->tree || !builder->tree->thread_is_idle || !sampled_input_open(&builder->in))
		return false;
	/* Even without nodes the array must exist. */
	if (!grow_nodes(builder))
		return false;
	for (uint32_t i = 0; i < builder->in.recording->thread_count; i++) {
		if (!tree_thread_add(builder, i))
			return false;
	}
	return tree_finish(builder);
}

enum kymo_status sampled_tree_new(struct recording *recording, const struct samples *samples,
				  const struct sampled_options *options, struct calltree **out,
				  struct problem *problem)
{
	struct tree_builder builder = {
		.in = sampled_input_of(recording, samples, options),
	};
	bool is_complete;

	is_complete = tree_build(&builder);
	sampled_frames_free(builder.in.frames);
	hashset_release(&builder.children);
	free(builder.tallies);
	free(builder.self);
	if (!is_complete) {
		calltree_free(builder.tree);
		return problem_set(problem, KYMO_MEMORY, "no memory for the call paths of '%s'",
				   recording->path);
	}
	*out = builder.tree;
	return KYMO_OK;
}
