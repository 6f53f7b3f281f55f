/* Samples as nested slices: frames in common with the previous sample continue. */
#include "model/samples/sampled_slices.h"

#include "model/samples/sampled_class.h"

struct slice_state {
	const struct recording_samples *samples;
	const struct sample_slices *slices;
	uint32_t open[SAMPLE_PATH_MAX + 2]; /* regions, outermost first */
	uint32_t count;
	uint64_t end_ticks; /* of the samples so far */
};

static enum kymo_sample_kind slices_kind_of(const struct recording_samples *samples,
					    enum sample_track track)
{
	switch (track) {
	case SAMPLE_TRACK_CPU:
		return KYMO_SAMPLE_CPUTIME;
	case SAMPLE_TRACK_OVERFLOW:
		return KYMO_SAMPLE_OVERFLOW;
	default:
		/* CPU time alone is on the thread's first track. */
		return samples->scale.wall_kind != KYMO_SAMPLE_KINDS ? samples->scale.wall_kind
								     : KYMO_SAMPLE_CPUTIME;
	}
}

static bool has_gil(const struct recording_samples *samples, uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;

	while (samples_next(samples->samples, thread, &position, &sample))
		if (sample.gil == KYMO_GIL_HELD || sample.gil == KYMO_GIL_WAITED_FOR)
			return true;
	return false;
}

bool samples_has_track(const struct recording_samples *samples, uint32_t thread,
		       enum sample_track track)
{
	if (!samples_has_thread(samples, thread))
		return false;
	if (track == SAMPLE_TRACK_CPU && samples->scale.wall_kind == KYMO_SAMPLE_KINDS)
		return false;
	if (!samples->samples->threads[thread].counts[slices_kind_of(samples, track)])
		return false;
	return track != SAMPLE_TRACK_GIL || has_gil(samples, thread);
}

static void sampled_slices_close_to(struct slice_state *state, uint32_t count, uint64_t ticks)
{
	while (state->count > count) {
		state->count--;
		state->slices->end(state->slices->context, ticks);
	}
}

static void change_to(struct slice_state *state, const uint32_t *regions, uint32_t count,
		      uint64_t ticks)
{
	uint32_t common = 0;

	while (common < count && common < state->count && regions[common] == state->open[common])
		common++;
	sampled_slices_close_to(state, common, ticks);
	for (; state->count < count; state->count++) {
		state->open[state->count] = regions[state->count];
		state->slices->begin(state->slices->context, regions[state->count], ticks);
	}
}

/* Whether the track continues with this sample; earlier slices end where sampling paused. */
static bool continue_with(struct slice_state *state, enum kymo_sample_kind kind,
			  struct sample *sample)
{
	if (sample->kind != kind || sample->ticks <= state->end_ticks)
		return false;
	if (sample->start_ticks > state->end_ticks)
		sampled_slices_close_to(state, 0, state->end_ticks);
	else
		sample->start_ticks = state->end_ticks;
	return true;
}

static uint32_t regions_of(const struct recording_samples *samples, enum sample_track track,
			   const struct sample *sample, const bool *selected, uint32_t *regions)
{
	if (track == SAMPLE_TRACK_GIL) {
		regions[0] = samples->gil_regions[sample->gil];
		return regions[0] && (!selected || selected[regions[0]]) ? 1 : 0;
	}
	regions[0] = samples->root_region;
	return 1 + samples_path(samples, sample->thread, samples_location(samples, sample),
				selected, regions + 1);
}

void samples_each_slice(const struct recording_samples *samples, uint32_t thread,
			enum sample_track track, const bool *selected,
			const struct sample_slices *slices)
{
	struct slice_state state = {.samples = samples, .slices = slices};
	enum kymo_sample_kind kind = slices_kind_of(samples, track);
	uint32_t regions[SAMPLE_PATH_MAX + 2], count = 0;
	struct sample_location last = {0};
	struct sample_position position = {0};
	struct sample_location place;
	struct sample sample;

	while (samples_next(samples->samples, thread, &position, &sample)) {
		if (!continue_with(&state, kind, &sample))
			continue;
		place = samples_location(samples, &sample);
		if (track == SAMPLE_TRACK_GIL || count == 0 || place.stack != last.stack ||
		    place.waits_for_gil != last.waits_for_gil)
			count = regions_of(samples, track, &sample, selected, regions);
		change_to(&state, regions, count, sample.start_ticks);
		state.end_ticks = sample.ticks;
		last = place;
	}
	sampled_slices_close_to(&state, 0, state.end_ticks);
}

void samples_each_state(const struct recording_samples *samples, uint32_t thread,
			const struct sample_slices *slices)
{
	enum kymo_sample_kind kind = slices_kind_of(samples, SAMPLE_TRACK_WALL);
	struct slice_state state = {.samples = samples, .slices = slices};
	struct sample_position position = {0};
	struct sample sample;
	uint32_t class;

	while (samples_next(samples->samples, thread, &position, &sample)) {
		if (!continue_with(&state, kind, &sample))
			continue;
		class = sampled_classify(&samples->stacks[thread][sample.stack].leaf, &sample);
		change_to(&state, &class, 1, sample.start_ticks);
		state.end_ticks = sample.ticks;
	}
	sampled_slices_close_to(&state, 0, state.end_ticks);
}
