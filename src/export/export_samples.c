/* Samples for exporters: the stacks of all threads, with their frames as regions. */
#include "export/export_samples.h"

#include <stdlib.h>

#include "export/export_names.h"

#define ROOT_NAME "samples [kymo]"
#define WAIT_NAME "[waits for the GIL]"

/* ---- opening ---------------------------------------------------------------------------- */

/* The whole of a program is no call that anybody is interested in. */
static bool has_calls(const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->region_count; i++) {
		if (recording->regions[i].kind != KYMO_REGION_ROOT &&
		    recording->regions[i].kind != KYMO_REGION_PROGRAM)
			return recording->header.flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	}
	return false;
}

static bool is_wanted(const struct recording *recording, const struct export_options *options,
		      bool only_alone)
{
	if (options->process && recording->header.pid != options->process)
		return false;
	return !only_alone || options->prefers_samples || !has_calls(recording);
}

static bool add_regions(struct recording_samples *samples)
{
	static const char *const states[] = {
		[KYMO_GIL_HELD] = "GIL held",
		[KYMO_GIL_WAITED_FOR] = "GIL waited for",
	};
	struct region region = {.kind = KYMO_REGION_NATIVE, .name = ROOT_NAME};

	samples->root_region = recording_add_region(samples->recording, &region);
	samples->wait_region = sampled_frames_named(samples->frames, WAIT_NAME);
	if (!samples->root_region || !samples->wait_region)
		return false;
	for (int state = KYMO_GIL_HELD; state <= KYMO_GIL_WAITED_FOR; state++) {
		region.name = states[state];
		samples->gil_regions[state] = recording_add_region(samples->recording, &region);
		if (!samples->gil_regions[state])
			return false;
	}
	return true;
}

static enum kymo_status read_stacks(struct recording_samples *samples)
{
	uint32_t count = samples->recording->thread_count;

	samples->stacks = calloc((size_t)count + 1, sizeof(struct sampled_stack *));
	if (!samples->stacks || !add_regions(samples))
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		if (!sampled_thread_has_samples(samples->samples, i))
			continue;
		samples->stacks[i] = sampled_stacks_new(samples->frames, samples->samples, i);
		if (!samples->stacks[i])
			return KYMO_MEMORY;
	}
	return KYMO_OK;
}

static void recording_samples_close(struct recording_samples *samples)
{
	for (uint32_t i = 0; samples->stacks && i < samples->recording->thread_count; i++)
		free(samples->stacks[i]);
	free(samples->stacks);
	sampled_frames_free(samples->frames);
	samples_free(samples->samples);
	*samples = (struct recording_samples){.recording = samples->recording};
}

static enum kymo_status recording_samples_open(struct recording_samples *samples,
					       const struct export_options *options,
					       struct problem *problem)
{
	enum kymo_status status = samples_new(samples->recording, &samples->samples, problem);

	if (status < 0)
		return status;
	if (samples->samples->count == 0) {
		recording_samples_close(samples);
		return KYMO_OK;
	}
	samples->scale = sampled_scale(samples->samples);
	samples->options = (struct sampled_options){
		.has_lines = options->has_lines,
		.has_inlines = options->has_inlines,
		.has_files = true,
		.uses_debuginfod = options->uses_debuginfod,
	};
	status = sampled_frames_new(samples->recording, samples->samples, &samples->options,
				    &samples->frames);
	if (status == KYMO_OK)
		status = read_stacks(samples);
	return status < 0 ? problem_set(problem, status, "out of memory") : status;
}

enum kymo_status run_samples_open(struct run_samples *samples, const struct run *run,
				  const struct export_options *options, bool only_alone,
				  struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	samples->count = run->recording_count;
	samples->items = calloc(run->recording_count + 1, sizeof(*samples->items));
	if (!samples->items)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		samples->items[i].recording = run->recordings[i];
		if (is_wanted(run->recordings[i], options, only_alone))
			status = recording_samples_open(&samples->items[i], options, problem);
	}
	if (status < 0)
		run_samples_close(samples);
	return status;
}

void run_samples_close(struct run_samples *samples)
{
	for (size_t i = 0; samples->items && i < samples->count; i++)
		recording_samples_close(&samples->items[i]);
	free(samples->items);
	*samples = (struct run_samples){0};
}

/* ---- trees ------------------------------------------------------------------------------ */

enum sampled_by samples_weighed_by(const struct recording_samples *samples)
{
	return samples->scale.cpu_kind == KYMO_SAMPLE_KINDS ? SAMPLED_BY_EVENT : SAMPLED_BY_WALL;
}

enum kymo_status samples_or_calls_tree_new(const struct recording_samples *samples,
					   struct calltree **out, struct problem *problem)
{
	struct sampled_options options = samples->options;

	if (!samples->samples)
		return calltree_new(samples->recording, out, problem);
	options.weight = samples_weighed_by(samples);
	return sampled_tree_new(samples->recording, samples->samples, &options, out, problem);
}

/* ---- paths ------------------------------------------------------------------------------ */

uint32_t samples_frames(const struct recording_samples *samples, uint32_t thread, uint32_t stack,
			const struct sampled_frame **frames)
{
	const struct sampled_stack *stacks = samples->stacks[thread];
	uint32_t count = 0, number = 0, skipped;

	for (uint32_t at = stack; at && stacks[at].step != SAMPLED_RESTART; at = stacks[at].parent)
		count += sampled_stack_is_shown(&stacks[at], &samples->options);
	/* A stack of nothing but internal frames is shown by its innermost one. */
	if (count == 0) {
		frames[0] = sampled_frames_at(samples->frames, stacks[stack].frame);
		return 1;
	}
	skipped = count > SAMPLE_PATH_MAX ? count - SAMPLE_PATH_MAX : 0;
	for (uint32_t at = stack; number < count; at = stacks[at].parent) {
		if (!sampled_stack_is_shown(&stacks[at], &samples->options))
			continue;
		/* The innermost of too many are left out. */
		if (number >= skipped)
			frames[number - skipped] =
				sampled_frames_at(samples->frames, stacks[at].frame);
		number++;
	}
	return count - skipped;
}

struct sample_place samples_place(const struct recording_samples *samples,
				  const struct sample *sample)
{
	const struct sampled_stack *stack = &samples->stacks[sample->thread][sample->stack];

	if (stack->python_stack && sampled_classify(&stack->leaf, sample) == SAMPLED_GIL)
		return (struct sample_place){stack->python_stack, true};
	return (struct sample_place){sample->stack, false};
}

uint32_t samples_path(const struct recording_samples *samples, uint32_t thread,
		      struct sample_place place, const bool *selected, uint32_t *regions)
{
	const struct sampled_frame *frames[SAMPLE_PATH_MAX];
	uint32_t count = samples_frames(samples, thread, place.stack, frames), length = 0;

	while (count-- > 0) {
		for (uint32_t i = 0; i < frames[count]->region_count; i++) {
			uint32_t region = sampled_frames_region(samples->frames, frames[count], i);

			if (length < SAMPLE_PATH_MAX && (!selected || selected[region]))
				regions[length++] = region;
		}
	}
	if (place.waits_for_gil && (!selected || selected[samples->wait_region]))
		regions[length++] = samples->wait_region;
	return length;
}
