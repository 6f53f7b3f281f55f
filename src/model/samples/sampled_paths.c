/* Samples as stacks of regions: each frame and each stack is resolved once, when opened. */
#include "model/samples/sampled_paths.h"

#include <stdlib.h>

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_threads.h"

#define ROOT_NAME "samples [kymo]"
#define WAIT_NAME "[waits for the GIL]"

static bool paths_add_regions(struct recording_samples *samples)
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
	if (!samples->stacks || !paths_add_regions(samples))
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

void recording_samples_close(struct recording_samples *samples)
{
	for (uint32_t i = 0; samples->stacks && i < samples->recording->thread_count; i++)
		free(samples->stacks[i]);
	free(samples->stacks);
	sampled_frames_free(samples->frames);
	if (samples->owns_samples)
		samples_free((struct samples *)samples->samples);
	*samples = (struct recording_samples){.recording = samples->recording};
}

static enum kymo_status paths_read_samples(struct recording_samples *samples,
					   struct problem *problem)
{
	enum kymo_status status;

	samples->scale = sampled_scale(samples->samples);
	status = sampled_frames_new(samples->recording, samples->samples, &samples->options,
				    &samples->frames);
	if (status == KYMO_OK)
		status = read_stacks(samples);
	return status < 0 ? problem_set(problem, status, "out of memory") : status;
}

enum kymo_status recording_samples_open(struct recording_samples *samples,
					struct recording *recording, const struct samples *made,
					const struct sampled_options *options,
					struct problem *problem)
{
	struct samples *own = NULL;
	enum kymo_status status = made ? KYMO_OK : samples_new(recording, &own, problem);

	*samples = (struct recording_samples){
		.recording = recording,
		.samples = made ? made : own,
		.owns_samples = own != NULL,
		.options = *options,
	};
	if (status < 0)
		return status;
	if (samples->samples->count == 0) {
		recording_samples_close(samples);
		return KYMO_OK;
	}
	return paths_read_samples(samples, problem);
}

uint32_t samples_frames(const struct recording_samples *samples, uint32_t thread, uint32_t stack,
			const struct sampled_frame **frames)
{
	const struct sampled_stack *stacks = samples->stacks[thread];
	uint32_t count = 0, number = 0, skipped;

	for (uint32_t at = stack; at && stacks[at].step != SAMPLED_RESTART; at = stacks[at].parent)
		count += sampled_stack_is_shown(&stacks[at], &samples->options);
	/* A stack of internal frames only is shown by its innermost one. */
	if (count == 0) {
		frames[0] = sampled_frames_at(samples->frames, stacks[stack].frame);
		return 1;
	}
	skipped = count > SAMPLE_PATH_MAX ? count - SAMPLE_PATH_MAX : 0;
	for (uint32_t at = stack; number < count; at = stacks[at].parent) {
		if (!sampled_stack_is_shown(&stacks[at], &samples->options))
			continue;
		/* The innermost frames beyond the limit are left out. */
		if (number >= skipped)
			frames[number - skipped] =
				sampled_frames_at(samples->frames, stacks[at].frame);
		number++;
	}
	return count - skipped;
}

struct sample_location samples_location(const struct recording_samples *samples,
					const struct sample *sample)
{
	const struct sampled_stack *stack = &samples->stacks[sample->thread][sample->stack];

	if (stack->python_stack && sampled_classify(&stack->leaf, sample) == SAMPLED_GIL)
		return (struct sample_location){stack->python_stack, true};
	return (struct sample_location){sample->stack, false};
}

uint32_t samples_path(const struct recording_samples *samples, uint32_t thread,
		      struct sample_location place, const bool *selected, uint32_t *regions)
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
