/* The calls of instrumented functions in the trace of one thread: their records, one ahead, and the
 * open calls.  trace_cursor.c merges them with all other events by time. Uses malloc. */
#ifndef KYMO_TRACE_FUNCTION_EVENTS_H
#define KYMO_TRACE_FUNCTION_EVENTS_H

#include "model/functions/foreign_time.h"
#include "model/functions/function_events.h"
#include "model/recording/recording.h"
#include "model/tree/build/frames_open.h"

struct chunk;

struct trace_function_events {
	const struct recording *recording;
	const struct chunk *chunks;
	size_t chunk_count, next_chunk;
	uint32_t thread;
	struct function_events_reader reader;
	struct function_events_stops stops;
	struct foreign_time foreign;	      /* read so far, up to the next record */
	struct function_events_record record; /* the next one */
	bool has_record;
	struct frames_open frames; /* place: index in the cursor's stack of regions */
	uint64_t dropped;
};

/* *out is NULL when there are none.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status trace_function_events_new(const struct recording *recording, uint32_t thread,
					   struct trace_function_events **out);
void trace_function_events_free(struct trace_function_events *pairs);

/* The next record; it stays the next one until it is taken; NULL at the end. */
const struct function_events_record *
trace_function_events_next(struct trace_function_events *pairs);
static inline void trace_function_events_take(struct trace_function_events *pairs)
{
	pairs->has_record = false;
}
/* The next record is no enter of an unknown function. */
bool trace_function_events_is_known(const struct trace_function_events *pairs);

/* How many of the open frames end before the next record can happen, or with it; *unwound_out: of
 * these the innermost ones, which had no end of their own. */
size_t trace_function_events_closed(const struct trace_function_events *pairs, size_t *unwound_out);

#endif
