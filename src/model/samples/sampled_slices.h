/* Samples as slices in time: a sample is a nest of slices that lasts from the sample before to this
 * one; common slices of consecutive samples are joined. */
#ifndef KYMO_SAMPLED_SLICES_H
#define KYMO_SAMPLED_SLICES_H

#include "model/samples/sampled_paths.h"

struct sample_slices {
	void (*begin)(void *context, uint32_t region, uint64_t ticks);
	void (*end)(void *context, uint64_t ticks);
	void *context;
};

enum sample_track { /* of a thread, independent of each other */
		    SAMPLE_TRACK_WALL,
		    SAMPLE_TRACK_CPU,
		    SAMPLE_TRACK_OVERFLOW,
		    SAMPLE_TRACK_GIL, /* held and waited for */
		    SAMPLE_TRACKS,
};

bool samples_has_track(const struct recording_samples *samples, uint32_t thread,
		       enum sample_track track);
/* selected: of regions, NULL = all. */
void samples_each_slice(const struct recording_samples *samples, uint32_t thread,
			enum sample_track track, const bool *selected,
			const struct sample_slices *slices);

/* What the thread did, as adjacent slices: from the samples of its first track. region is an enum
 * sampled_class. */
void samples_each_state(const struct recording_samples *samples, uint32_t thread,
			const struct sample_slices *slices);

#endif
