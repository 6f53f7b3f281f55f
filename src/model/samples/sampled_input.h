/* What tables of samples are made from: the samples of a recording, and how they are weighed. */
#ifndef KYMO_SAMPLED_INPUT_H
#define KYMO_SAMPLED_INPUT_H

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"

struct sampled_input { /* borrowed, except frames */
	struct recording *recording;
	const struct samples *samples;
	const struct sampled_options *options;
	struct sampled_frames *frames; /* sampled_frames_free(); NULL before sampled_input_open() */
	struct sampled_scale scale;
	enum sampled_weight weight;
};

static inline struct sampled_input sampled_input_of(struct recording *recording,
						    const struct samples *samples,
						    const struct sampled_options *options)
{
	struct sampled_input input = {.recording = recording,
				      .samples = samples,
				      .options = options,
				      .scale = sampled_scale(samples)};

	input.weight = sampled_weight_of(&input.scale, options->weight);
	return input;
}

/* Find the frames.  False: there is no memory. */
static inline bool sampled_input_open(struct sampled_input *input)
{
	return sampled_frames_new(input->recording, input->samples, input->options,
				  &input->frames) == KYMO_OK;
}

#endif
