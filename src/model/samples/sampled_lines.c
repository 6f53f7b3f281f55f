/* The time of samples by source line. A line is a region of its own, so tables here are indexed by
 * the ids of regions.  One pass over the samples computes the weight of each stack; a walk over
 * the tree of stacks then counts each line once for everything below it, however often it recurs
 * there. */
#include "model/samples/sampled_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples/sampled_input.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_threads.h"
#include "model/samples/sampled_tree.h"

struct sums { /* of one region */
	uint64_t count;
	double self, total, python, native, kernel, wait;
	uint32_t active; /* visits on the current path */
	bool is_line;
};

struct links {
	uint32_t native_region; /* the stack's own line if it ends in native code, 0 = none */
	uint32_t first_child, next_sibling;
	double weight; /* of the stack and all below it */
};

struct lines_builder {
	struct sampled_input in;
	struct sums *sums;
	size_t sum_count;
	double total, squares;
	/* of the current thread */
	uint32_t thread, stack_count;
	struct sampled_stack *stacks;
	struct links *links;
};

static bool has_line(const struct sampled_frame *frame)
{
	return frame->origin != SAMPLED_FROM_KERNEL && frame->origin != SAMPLED_FROM_NOWHERE;
}

/* Resolving stacks adds regions: grow the table to the current number. */
static bool grow_sums(struct lines_builder *builder)
{
	size_t count = builder->in.recording->region_count;
	struct sums *grown = reallocarray(builder->sums, count, sizeof(*grown));

	if (!grown)
		return false;
	memset(grown + builder->sum_count, 0, (count - builder->sum_count) * sizeof(*grown));
	builder->sums = grown;
	builder->sum_count = count;
	return true;
}

static const struct sampled_frame *shown_frame(const struct lines_builder *builder, uint32_t id)
{
	const struct sampled_stack *stack = &builder->stacks[id];
	const struct sampled_frame *frame = sampled_frames_at(builder->in.frames, stack->frame);

	return id && sampled_stack_is_shown(stack, builder->in.options) && has_line(frame) ? frame
											   : NULL;
}

static void link_stack(struct lines_builder *builder, uint32_t id)
{
	const struct sampled_stack *stack = &builder->stacks[id];
	struct links *links = &builder->links[id], *above = &builder->links[stack->parent];
	const struct sampled_frame *frame = shown_frame(builder, id);

	links->next_sibling = above->first_child;
	above->first_child = id;
	links->native_region = above->native_region;
	if (stack->step == SAMPLED_RESTART && !builder->in.options->keeps_internal)
		links->native_region = 0;
	if (frame)
		links->native_region = frame->origin == SAMPLED_FROM_PYTHON
					       ? 0
					       : sampled_frames_region(builder->in.frames, frame,
								       frame->region_count - 1);
}

static bool lines_stacks_begin(struct lines_builder *builder)
{
	builder->stack_count = samples_stack_count(builder->in.samples, builder->thread);
	builder->stacks =
		sampled_stacks_new(builder->in.frames, builder->in.samples, builder->thread);
	builder->links = calloc(builder->stack_count, sizeof(*builder->links));
	if (!builder->stacks || !builder->links || !grow_sums(builder))
		return false;
	for (uint32_t id = 1; id < builder->stack_count; id++) {
		if (builder->stacks[id].is_used)
			link_stack(builder, id);
	}
	return true;
}

static void self_add(struct lines_builder *builder, uint32_t region, enum sampled_class class,
		     double weight)
{
	struct sums *sums = &builder->sums[region];

	if (!region)
		return;
	sums->count++;
	sums->self += weight;
	if (class == SAMPLED_PYTHON)
		sums->python += weight;
	else if (class == SAMPLED_NATIVE)
		sums->native += weight;
	else if (sampled_is_running(class))
		sums->kernel += weight;
}

/* By wall time, whatever the weight. */
static void wait_add(struct lines_builder *builder, uint32_t region, double waiting_ns)
{
	if (region && !isnan(waiting_ns))
		builder->sums[region].wait += waiting_ns;
}

static void lines_samples_add(struct lines_builder *builder)
{
	struct sample_position position = {0};
	struct sample sample;
	double carried_ns = 0, weights[SAMPLED_WEIGHTS];

	while (samples_next(builder->in.samples, builder->thread, &position, &sample)) {
		const struct sampled_stack *stack = &builder->stacks[sample.stack];
		enum sampled_class class = sampled_classify(&stack->leaf, &sample);
		double weight;

		sampled_weigh(&builder->in.scale, &sample, class, &carried_ns, weights);
		weight = weights[builder->in.weight];
		wait_add(builder, stack->python_region, weights[SAMPLED_WAITING]);
		wait_add(builder, builder->links[sample.stack].native_region,
			 weights[SAMPLED_WAITING]);
		if (isnan(weight))
			continue;
		builder->total += weight;
		builder->squares += weight * weight;
		builder->links[sample.stack].weight += weight;
		self_add(builder, stack->python_region, class, weight);
		self_add(builder, builder->links[sample.stack].native_region, class, weight);
	}
}

static void frame_enter(struct lines_builder *builder, uint32_t id)
{
	const struct sampled_frame *frame = shown_frame(builder, id);

	for (uint32_t i = 0; frame && i < frame->region_count; i++) {
		struct sums *sums =
			&builder->sums[sampled_frames_region(builder->in.frames, frame, i)];

		sums->is_line = true;
		if (sums->active++ == 0)
			sums->total += builder->links[id].weight;
	}
}

static void frame_leave(struct lines_builder *builder, uint32_t id)
{
	const struct sampled_frame *frame = shown_frame(builder, id);

	for (uint32_t i = 0; frame && i < frame->region_count; i++)
		builder->sums[sampled_frames_region(builder->in.frames, frame, i)].active--;
}

/* Depth first along the links, so that deep stacks need no recursion. */
static void totals_add(struct lines_builder *builder)
{
	struct links *links = builder->links;
	uint32_t id = 0;

	for (uint32_t k = builder->stack_count; k-- > 1;) {
		if (builder->stacks[k].is_used)
			links[builder->stacks[k].parent].weight += links[k].weight;
	}
	for (;;) {
		if (links[id].first_child) {
			id = links[id].first_child;
			frame_enter(builder, id);
			continue;
		}
		while (id && !links[id].next_sibling) {
			frame_leave(builder, id);
			id = builder->stacks[id].parent;
		}
		if (!id)
			return;
		frame_leave(builder, id);
		id = links[id].next_sibling;
		frame_enter(builder, id);
	}
}

static bool lines_thread_add(struct lines_builder *builder, uint32_t thread)
{
	bool is_complete;

	if (!sampled_thread_has_samples(builder->in.samples, thread))
		return true;
	builder->thread = thread;
	is_complete = lines_stacks_begin(builder);
	if (is_complete) {
		lines_samples_add(builder);
		totals_add(builder);
	}
	free(builder->stacks);
	free(builder->links);
	builder->stacks = NULL;
	builder->links = NULL;
	return is_complete;
}

static int sampled_line_compare(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;

	if (a->self_ns != b->self_ns)
		return a->self_ns > b->self_ns ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->function, b->function);
}

static void line_fill(const struct lines_builder *builder, uint32_t id, double effective,
		      struct sampled_line *out)
{
	const struct region *region = &builder->in.recording->regions[id];
	const struct sums *sums = &builder->sums[id];
	double total = builder->total > 0 ? builder->total : 1;

	*out = (struct sampled_line){
		.file = region->file,
		.function = region->name,
		.module = region->module,
		.line = region->flags & REGION_IS_LINE ? region->line : 0,
		.is_python = region->kind == KYMO_REGION_PYTHON,
		.count = sums->count,
		.self_ns = sums->self,
		.total_ns = sums->total,
		.python_ns = sums->python,
		.native_ns = sums->native,
		.kernel_ns = sums->kernel,
		.wait_ns = sums->wait,
		.self = sampled_interval(sums->self / total, effective),
		.total = sampled_interval(sums->total / total, effective),
	};
}

static bool table_fill(const struct lines_builder *builder, struct sampled_lines *lines)
{
	lines->total_ns = builder->total;
	if (builder->squares > 0)
		lines->effective_count = builder->total * builder->total / builder->squares;
	for (size_t id = 0; id < builder->sum_count; id++)
		lines->count += builder->sums[id].is_line;
	lines->lines = calloc(lines->count + 1, sizeof(*lines->lines));
	if (!lines->lines)
		return false;
	lines->count = 0;
	for (size_t id = 0; id < builder->sum_count; id++) {
		if (builder->sums[id].is_line)
			line_fill(builder, (uint32_t)id, lines->effective_count,
				  &lines->lines[lines->count++]);
	}
	if (lines->count > 1)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), sampled_line_compare);
	return true;
}

static bool lines_build(struct lines_builder *builder, struct sampled_lines *lines)
{
	if (!sampled_input_open(&builder->in))
		return false;
	for (uint32_t i = 0; i < builder->in.recording->thread_count; i++) {
		if (!lines_thread_add(builder, i))
			return false;
	}
	return table_fill(builder, lines);
}

enum kymo_status sampled_lines_new(struct recording *recording, const struct samples *samples,
				   const struct sampled_options *options,
				   struct sampled_lines **out)
{
	struct sampled_options wanted = *options;
	struct lines_builder builder = {
		.in = sampled_input_of(recording, samples, &wanted),
	};
	struct sampled_lines *lines = calloc(1, sizeof(*lines));
	bool is_complete;

	wanted.has_lines = true;
	is_complete = lines && lines_build(&builder, lines);
	sampled_frames_free(builder.in.frames);
	free(builder.sums);
	if (!is_complete) {
		sampled_lines_free(lines);
		return KYMO_MEMORY;
	}
	*out = lines;
	return KYMO_OK;
}

void sampled_lines_free(struct sampled_lines *lines)
{
	if (lines)
		free(lines->lines);
	free(lines);
}

void sampled_line_add(struct sampled_line *sum, const struct sampled_line *line)
{
	sum->count += line->count;
	sum->self_ns += line->self_ns;
	sum->total_ns += line->total_ns;
	sum->python_ns += line->python_ns;
	sum->native_ns += line->native_ns;
	sum->kernel_ns += line->kernel_ns;
	sum->wait_ns += line->wait_ns;
}
