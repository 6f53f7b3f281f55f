/* The samples of a run's recordings as exporters want them: stacks of regions.
 *
 * Opening adds regions to the recordings: it comes before a selection of regions is made and
 * before anything is allocated by their number.  Opened for all threads at once; read-only
 * afterwards.  One thread at a time. */
#ifndef KYMO_EXPORT_SAMPLES_H
#define KYMO_EXPORT_SAMPLES_H

#include "analysis/run.h"
#include "analysis/sampled_frames.h"
#include "export/export.h"

#define SAMPLE_PATH_MAX 1000u /* frames of a stack that are shown, from the outermost on */

struct recording_samples {
	struct recording *recording;
	struct samples *samples; /* NULL = it has none, or was not selected */
	struct sampled_frames *frames;
	struct sampled_options options;
	struct sampled_scale scale;
	struct sampled_stack **stacks; /* by thread, NULL = no samples */
	uint32_t root_region;	       /* "samples [kymo]" */
	uint32_t wait_region;	       /* "[waits for the GIL]" */
	uint32_t gil_regions[KYMO_GIL_WAITED_FOR + 1];
};

struct run_samples {
	struct recording_samples *items; /* by recording */
	size_t count;
};

/* Of every recording that is selected and has samples; with only_alone: just of those that
 * an export shows instead of calls, because that is asked for or there are none. */
enum kymo_status run_samples_open(struct run_samples *samples, const struct run *run,
				  const struct export_options *options, bool only_alone,
				  struct problem *problem);
void run_samples_close(struct run_samples *samples);

static inline bool samples_has_thread(const struct recording_samples *samples, uint32_t thread)
{
	return samples->samples && samples->stacks[thread];
}

/* Where a sample is shown: of a thread that waits for the GIL below the Python function that
 * wants it, as the lock behind it is of no interest. */
struct sample_place {
	uint32_t stack;
	bool waits_for_gil;
};
struct sample_place samples_place(const struct recording_samples *samples,
				  const struct sample *sample);

/* The regions of a place, outermost first, into regions[SAMPLE_PATH_MAX + 1]: those that are
 * selected (NULL = all).  Their number. */
uint32_t samples_path(const struct recording_samples *samples, uint32_t thread,
		      struct sample_place place, const bool *selected, uint32_t *regions);

/* The frames of a stack, innermost first, into frames[SAMPLE_PATH_MAX]. */
uint32_t samples_frames(const struct recording_samples *samples, uint32_t thread, uint32_t stack,
			const struct sampled_frame **frames);

/* The call tree of a recording: of its samples where those were opened, else of its calls. */
enum kymo_status samples_or_calls_tree_new(const struct recording_samples *samples,
					   struct calltree **out, struct problem *problem);

/* What its samples are weighed with: wall time, else CPU time, else events. */
enum sampled_by samples_weighed_by(const struct recording_samples *samples);

/* ---- as slices ------------------------------------------------------------------------ */

/* A sample is a nest of slices that lasts from the sample before to this one; what two of
 * them have in common is one longer slice. */
struct sample_slices {
	void (*begin)(void *context, uint32_t region, uint64_t ticks);
	void (*end)(void *context, uint64_t ticks);
	void *context;
};

enum sample_track {
	SAMPLE_TRACK_WALL,     /* "Thread 0 (S) 1234" */
	SAMPLE_TRACK_CPU,      /* "Thread 0 CPU (S) 1234", beside that */
	SAMPLE_TRACK_OVERFLOW, /* "Thread 0 Overflow (S) 1234" */
	SAMPLE_TRACK_GIL,      /* "Thread 0 GIL (S) 1234": held and waited for */
	SAMPLE_TRACKS,
};

bool samples_has_track(const struct recording_samples *samples, uint32_t thread,
		       enum sample_track track);
void samples_track_title(const struct recording_samples *samples, uint32_t thread,
			 enum sample_track track, char *text, size_t size);
void samples_each_slice(const struct recording_samples *samples, uint32_t thread,
			enum sample_track track, const bool *selected,
			const struct sample_slices *slices);

#endif
