/* Records of instrumented functions for the trace of a thread, chunk by chunk. */
#include "model/trace/trace_function_events.h"

#include <stdlib.h>

#include "model/functions/functions.h"
#include "model/recording/chunks.h"

enum kymo_status trace_function_events_new(const struct recording *recording, uint32_t thread,
					   struct trace_function_events **out)
{
	size_t count;
	const struct chunk *chunks =
		chunks_of_thread(recording, KYMO_CHUNK_FUNCTION_EVENTS, thread, &count);

	*out = NULL;
	if (!count || !recording->functions)
		return KYMO_OK;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return KYMO_MEMORY;
	(*out)->recording = recording;
	(*out)->thread = thread;
	(*out)->stops = function_events_stops_of(&recording->header);
	(*out)->foreign =
		foreign_time_begin(recording->threads[thread].start_ticks, recording->is_raw);
	(*out)->chunks = chunks;
	(*out)->chunk_count = count;
	return KYMO_OK;
}

void trace_function_events_free(struct trace_function_events *pairs)
{
	if (!pairs)
		return;
	frames_release(&pairs->frames);
	free(pairs);
}

static bool events_chunk_next(struct trace_function_events *pairs)
{
	const struct chunk *chunk = &pairs->chunks[pairs->next_chunk];
	uint64_t time = pairs->reader.ticks;

	foreign_time_read_marks(&pairs->foreign, &pairs->reader);
	pairs->dropped += pairs->reader.is_malformed;
	pairs->reader.is_malformed = false;
	if (pairs->next_chunk > 0)
		chunk_drop_pages(pairs->recording, &pairs->chunks[pairs->next_chunk - 1]);
	if (pairs->next_chunk == pairs->chunk_count)
		return false;
	pairs->next_chunk++;
	pairs->reader = function_events_reader_begin(
		pairs->recording->data + chunk->offset, chunk->bytes,
		pairs_earliest(chunk->base, chunk->flags, time,
			       pairs->recording->threads[pairs->thread].start_ticks),
		chunk->flags);
	foreign_time_begin_chunk(&pairs->foreign);
	function_events_reader_follow(&pairs->reader, &pairs->stops);
	return true;
}

const struct function_events_record *trace_function_events_next(struct trace_function_events *pairs)
{
	while (!pairs->has_record) {
		pairs->has_record = function_events_next(&pairs->reader, &pairs->record);
		if (!pairs->has_record && !events_chunk_next(pairs))
			return NULL;
	}
	foreign_time_read_marks(&pairs->foreign, &pairs->reader);
	return &pairs->record;
}

bool trace_function_events_is_known(const struct trace_function_events *pairs)
{
	return pairs->record.kind != FUNCTION_EVENTS_ENTER ||
	       functions_region(pairs->recording, pairs->record.id);
}

size_t trace_function_events_closed(const struct trace_function_events *pairs, size_t *unwound_out)
{
	const struct frames_open *frames = &pairs->frames;
	const struct function_events_record *record = &pairs->record;
	const struct open_frame *top;
	size_t count;

	*unwound_out = 0;
	if (record->kind == FUNCTION_EVENTS_EXIT)
		return frames_closed_by_exit(frames, record->slot, unwound_out);
	if (record->kind != FUNCTION_EVENTS_ENTER)
		return frames->depth;
	count = frames_closed_by_enter(frames, record->slot, record->id);
	if (count == 0)
		return 0;
	/* Mutual tail calls end regularly. */
	top = &frames->items[frames->depth - 1];
	if (!(top->slot == record->slot &&
	      (top->flags & OPEN_FRAME_FLAG(KYMO_FUNCTION_TAIL_CALLS))))
		*unwound_out = count;
	return count;
}
