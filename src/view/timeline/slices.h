/* What a thread did as slices on the clock of the run, from its trace or its samples.
 *
 * Times are nanoseconds since the run's start; they never decrease within a thread. */
#ifndef KYMO_SLICES_H
#define KYMO_SLICES_H

#include "model/samples/sampled_slices.h"

#include "model/trace/trace_cursor.h"

#define SLICES_NS_MAX ((UINT64_C(1) << 53) - 1) /* exact in the page: 104 days */

struct slice_clock {
	const struct recording *recording;
	uint64_t origin_ns; /* of the run, CLOCK_REALTIME */
};

/* A process outside of the run's time (its clock was not known) begins with the run. */
struct slice_clock slice_clock_of(const struct recording *recording, uint64_t origin_ns);
uint64_t slice_clock_ns(const struct slice_clock *clock, uint64_t ticks);

/* region: of the recording.  Slices are emitted at their ends, so inner ones first; those of a
 * depth in the order of time. */
struct slice_sink {
	void *context;
	void (*slice)(void *context, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		      uint32_t region);
	/* The others may be NULL. */
	void (*instant)(void *context, uint64_t ns, uint32_t region);
	/* count events are missing between two existing ones. */
	void (*lost)(void *context, uint64_t start_ns, uint64_t end_ns, uint64_t count);
	void (*message)(void *context, uint64_t ns, const struct trace_event *event);
};

void slices_of_trace(const struct slice_clock *clock, uint32_t thread,
		     const struct slice_sink *sink);
void slices_of_samples(const struct slice_clock *clock, const struct recording_samples *samples,
		       uint32_t thread, const struct slice_sink *sink);
/* What it did: slices of depth 0, whose region is an enum sampled_class. */
void slices_of_states(const struct slice_clock *clock, const struct recording_samples *samples,
		      uint32_t thread, const struct slice_sink *sink);

#endif
