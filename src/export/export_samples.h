/* The samples of a run's recordings for exporters: stacks of regions.
 *
 * Opening adds regions to the recordings: do it before a selection of regions is made and before
 * anything is allocated by their number.  Opened for all threads at once; read-only afterwards.
 * One thread at a time. */
#ifndef KYMO_EXPORT_SAMPLES_H
#define KYMO_EXPORT_SAMPLES_H

#include "export/export_options.h"
#include "export/export_sink.h"
#include "model/recording/run.h"
#include "model/samples/sampled_slices.h"

struct run_samples {
	struct recording_samples *items; /* by recording */
	size_t count;
};

/* Of every selected recording with samples; with only_alone: just of those that an export shows
 * instead of calls, because they are preferred or there are no calls. */
enum kymo_status run_samples_open(struct run_samples *samples, const struct run *run,
				  const struct export_options *options, bool only_alone,
				  struct problem *problem);
void run_samples_close(struct run_samples *samples);

/* Whether the counts of its call tree are samples. */
static inline bool samples_make_tree(const struct recording_samples *samples)
{
	return samples->samples || (samples->recording->header.flags & KYMO_HEADER_SAMPLED);
}

/* The call tree of a recording: of its samples if those were opened, else of its calls. */
enum kymo_status samples_or_calls_tree_new(const struct recording_samples *samples,
					   struct calltree **out, struct problem *problem);

/* The weight of its samples: wall time, else CPU time, else events. */
enum sampled_by samples_weighed_by(const struct recording_samples *samples);

/* "Thread 0 (S) 1234", "Thread 0 CPU (S) 1234": titles of the tracks of a thread. */
void samples_track_title(const struct recording_samples *samples, uint32_t thread,
			 enum sample_track track, char *text, size_t size);

/* Write all tracks of a thread: begin() for each, with its number among all threads', then its
 * slices, which have the same context. */
typedef void (*samples_begin_fn)(void *context, uint32_t track, const char *title);
void samples_each_track(const struct recording_samples *samples, uint32_t thread,
			const bool *selected, const struct export_sink *sink,
			samples_begin_fn begin, const struct sample_slices *slices);

#endif
