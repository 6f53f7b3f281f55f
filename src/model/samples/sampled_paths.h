/* The samples of one recording as stacks of regions, for timelines and exporters.
 *
 * Opening adds regions to the recording: do it before anything is allocated by their number and
 * before pointers to them are kept.  Read-only afterwards.  One thread. */
#ifndef KYMO_SAMPLED_PATHS_H
#define KYMO_SAMPLED_PATHS_H

#include "model/samples/sampled_frames.h"

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_stacks.h"

#define SAMPLE_PATH_MAX 1000u /* frames of a stack that are shown, from the outermost on */

struct recording_samples {
	struct recording *recording;
	const struct samples *samples; /* NULL = it has none, or was not opened */
	bool owns_samples;
	struct sampled_frames *frames;
	struct sampled_options options;
	struct sampled_scale scale;
	struct sampled_stack **stacks; /* by thread, NULL = no samples */
	uint32_t root_region;	       /* "samples [kymo]" */
	uint32_t wait_region;	       /* "[waits for the GIL]" */
	uint32_t gil_regions[KYMO_GIL_WAITED_FOR + 1];
};

/* made: an existing index of its samples, which must then outlive this; NULL = make one.  A
 * recording without samples is opened and has none.  Must be closed after failure too. */
enum kymo_status recording_samples_open(struct recording_samples *samples,
					struct recording *recording, const struct samples *made,
					const struct sampled_options *options,
					struct problem *problem);
void recording_samples_close(struct recording_samples *samples);

static inline bool samples_has_thread(const struct recording_samples *samples, uint32_t thread)
{
	return samples->samples && samples->stacks[thread];
}

/* Where a sample is shown: if the thread waits for the GIL, below the Python function that takes
 * it, since the underlying lock is an implementation detail. */
struct sample_location {
	uint32_t stack;
	bool waits_for_gil;
};
struct sample_location samples_location(const struct recording_samples *samples,
					const struct sample *sample);

/* The selected regions (NULL = all) of a location, outermost first, into regions[SAMPLE_PATH_MAX +
 * 1].  Returns their number. */
uint32_t samples_path(const struct recording_samples *samples, uint32_t thread,
		      struct sample_location place, const bool *selected, uint32_t *regions);

/* The frames of a stack, innermost first, into frames[SAMPLE_PATH_MAX]. */
uint32_t samples_frames(const struct recording_samples *samples, uint32_t thread, uint32_t stack,
			const struct sampled_frame **frames);

#endif
