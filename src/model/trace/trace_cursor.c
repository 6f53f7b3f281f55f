/* The events of one thread, balanced as they are read. The only state is a stack of the open
 * regions.  A leave is matched with the innermost open enter of its region: inner enters whose
 * leaves are missing are closed at the same time; a leave without an enter is dropped.
 *
 * Calls of instrumented functions are records of their own, paired by frames_open.h; they are
 * merged by time and use the same stack. */
#include "model/trace/trace_cursor.h"
#include <stdlib.h>

#include "base/array.h"
#include "format/decode.h"
#include "format/gateword.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/trace/trace_function_events.h"

struct open_region {
	uint32_t region;
	uint32_t frame; /* of an instrumented function: its index among those + 1; else 0 */
};

struct trace_cursor {
	const struct recording *recording;
	const struct chunk *chunks;
	size_t chunk_count;
	size_t next_chunk;
	struct event_reader reader;
	struct event_record record; /* the next one */
	bool has_record;
	struct trace_function_events *pairs; /* NULL = none */
	struct open_region *open_regions;    /* innermost last */
	size_t depth, capacity;
	uint32_t *open_counts; /* by region: how often it is in open_regions */
	uint64_t time;	       /* of the latest event; never decreases */
	uint64_t end;	       /* when open regions are closed */
	uint64_t dropped;
	size_t closing; /* regions still to leave at the current record */
	struct trace_event closing_event;
	bool is_last_synthetic; /* the regions to leave, including the outermost */
	bool is_of_pairs;	/* the current event */
	size_t unwound_from;	/* frames from this index on had no exit */
	bool is_at_end;
	uint32_t thread;
};

enum kymo_status trace_cursor_new(const struct recording *recording, uint32_t thread,
				  struct trace_cursor **out)
{
	struct trace_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return KYMO_MEMORY;
	cursor->open_counts = calloc(recording->region_count, sizeof(*cursor->open_counts));
	if (!cursor->open_counts ||
	    trace_function_events_new(recording, thread, &cursor->pairs) != KYMO_OK) {
		trace_cursor_free(cursor);
		return KYMO_MEMORY;
	}
	cursor->recording = recording;
	cursor->thread = thread;
	cursor->chunks =
		chunks_of_thread(recording, KYMO_CHUNK_EVENTS, thread, &cursor->chunk_count);
	cursor->end = gateword_cut(&recording->header, recording->end_ticks);
	if (thread < recording->thread_count && recording->threads[thread].end_ticks)
		cursor->end = recording->threads[thread].end_ticks;
	*out = cursor;
	return KYMO_OK;
}

void trace_cursor_free(struct trace_cursor *cursor)
{
	if (!cursor)
		return;
	trace_function_events_free(cursor->pairs);
	free(cursor->open_regions);
	free(cursor->open_counts);
	free(cursor);
}

uint64_t trace_cursor_dropped(const struct trace_cursor *cursor)
{
	return cursor->dropped + (cursor->pairs ? cursor->pairs->dropped : 0);
}

const struct foreign_time *trace_cursor_foreign(const struct trace_cursor *cursor)
{
	return cursor->pairs ? &cursor->pairs->foreign : NULL;
}

bool trace_cursor_is_at_end(const struct trace_cursor *cursor)
{
	return cursor->is_at_end;
}

/* The current one has been read; false if it was the last. */
static bool cursor_chunk_next(struct trace_cursor *cursor)
{
	const struct chunk *chunk = &cursor->chunks[cursor->next_chunk];

	cursor->dropped += cursor->reader.is_malformed;
	cursor->reader.is_malformed = false;
	if (cursor->next_chunk > 0)
		chunk_drop_pages(cursor->recording, &cursor->chunks[cursor->next_chunk - 1]);
	if (cursor->next_chunk == cursor->chunk_count)
		return false;
	cursor->next_chunk++;
	cursor->reader = event_reader_begin(cursor->recording->data + chunk->offset, chunk->bytes,
					    chunk->base);
	return true;
}

/* It stays the next one until it is taken, followed by its values. */
static bool cursor_record_next(struct trace_cursor *cursor)
{
	while (!cursor->has_record) {
		cursor->has_record = event_reader_next(&cursor->reader, &cursor->record);
		if (!cursor->has_record && !cursor_chunk_next(cursor))
			return false;
	}
	return true;
}

/* Word 1 of a value's record. */
#define VALUE_TYPE_SHIFT 56
#define VALUE_NAME_MASK	 ((UINT64_C(1) << VALUE_TYPE_SHIFT) - 1)

static bool value_make(const struct recording *recording, const uint64_t words[2],
		       struct trace_value *out)
{
	out->name = recording_string(recording, words[0] & VALUE_NAME_MASK);
	out->type = (enum kymo_value_type)(words[0] >> VALUE_TYPE_SHIFT);
	out->as.natural = words[1];
	if (out->type == KYMO_VALUE_TEXT)
		out->as.text = recording_string(recording, words[1]);
	return out->name && out->type >= KYMO_VALUE_TEXT && out->type <= KYMO_VALUE_POINTER &&
	       (out->type != KYMO_VALUE_TEXT || out->as.text);
}

bool trace_cursor_value(struct trace_cursor *cursor, struct trace_value *value_out)
{
	uint64_t words[2];

	while (!cursor->closing && !cursor->is_at_end && !cursor->is_of_pairs) {
		switch (event_reader_value(&cursor->reader, words)) {
		case EVENT_VALUE:
			if (value_make(cursor->recording, words, value_out))
				return true;
			cursor->dropped++;
			break;
		case EVENT_NO_VALUE:
			return false;
		case EVENT_CHUNK_END:
			if (!cursor_chunk_next(cursor))
				return false;
			break;
		}
	}
	return false;
}

static bool region_open(struct trace_cursor *cursor, uint32_t region, uint32_t frame)
{
	if (cursor->depth == cursor->capacity) {
		struct open_region *grown = array_grow(cursor->open_regions, &cursor->capacity,
						       cursor->depth + 1, sizeof(*grown));

		if (!grown)
			return false;
		cursor->open_regions = grown;
	}
	cursor->open_regions[cursor->depth++] = (struct open_region){region, frame};
	cursor->open_counts[region]++;
	return true;
}

static uint32_t region_close(struct trace_cursor *cursor)
{
	uint32_t region = cursor->open_regions[--cursor->depth].region;

	cursor->open_counts[region]--;
	return region;
}

/* How many regions a leave of region closes: inner ones, and itself. */
static size_t closed_by(const struct trace_cursor *cursor, uint32_t region)
{
	size_t count = 1;

	if (!cursor->open_counts[region])
		return 0;
	while (cursor->open_regions[cursor->depth - count].region != region)
		count++;
	return count;
}

/* The region of a whole program or thread is left when that ends. */
static bool ends_with_thread(const struct trace_cursor *cursor, uint32_t region)
{
	const struct recording *recording = cursor->recording;
	enum kymo_region_kind kind = recording->regions[region].kind;

	return cursor->depth == 0 && (kind == KYMO_REGION_PROGRAM || kind == KYMO_REGION_PTHREAD) &&
	       (recording->is_closed || (cursor->thread < recording->thread_count &&
					 recording->threads[cursor->thread].end_ticks != 0));
}

static bool closing_next(struct trace_cursor *cursor, struct trace_event *out)
{
	uint32_t frame = cursor->open_regions[cursor->depth - 1].frame;
	bool is_unmatched;

	cursor->closing--;
	is_unmatched = cursor->closing > 0 || cursor->is_last_synthetic;
	*out = cursor->closing_event;
	out->region = region_close(cursor);
	if (cursor->is_of_pairs && frame && !cursor->is_last_synthetic) {
		out->kind = frame > cursor->unwound_from ? TRACE_UNWIND : TRACE_LEAVE;
		return true;
	}
	if (is_unmatched)
		out->kind = TRACE_LEAVE;
	out->is_synthetic = is_unmatched && !ends_with_thread(cursor, out->region);
	return true;
}

static bool closing_begin(struct trace_cursor *cursor, size_t count, bool is_last_synthetic,
			  const struct trace_event *event, struct trace_event *out)
{
	cursor->closing = count;
	cursor->is_last_synthetic = is_last_synthetic;
	cursor->closing_event = *event;
	return closing_next(cursor, out);
}

static void event_enter(struct trace_event *event, const struct event_record *record)
{
	event->kind = TRACE_ENTER;
	if (record->kind == KYMO_EVENT_RESUME) {
		event->identity = record->word;
	} else if (record->kind == KYMO_EVENT_ANNOTATED) {
		event->last_instruction = (int32_t)(uint32_t)record->word;
		event->identity = record->word >> 32;
	}
}

/* Turn a record into an event, or into pending leaves.  False if it yields nothing. */
static bool event_make(struct trace_cursor *cursor, const struct event_record *record,
		       struct trace_event *event)
{
	switch (record->kind) {
	case KYMO_EVENT_ENTER:
	case KYMO_EVENT_RESUME:
	case KYMO_EVENT_ANNOTATED:
		event_enter(event, record);
		return region_open(cursor, record->region, 0);
	case KYMO_EVENT_LEAVE:
	case KYMO_EVENT_UNWIND: {
		size_t count = closed_by(cursor, record->region);

		event->kind = record->kind == KYMO_EVENT_LEAVE ? TRACE_LEAVE : TRACE_UNWIND;
		return count > 0 && closing_begin(cursor, count, false, event, event);
	}
	default:
		break;
	}
	event->kind = TRACE_INSTANT;
	if (record->extension == KYMO_EXTENDED_SEND || record->extension == KYMO_EXTENDED_RECEIVE) {
		bool is_send = record->extension == KYMO_EXTENDED_SEND;

		event->kind = is_send ? TRACE_SEND : TRACE_RECEIVE;
		event->value = record->second;
	}
	return true;
}

/* Records without a region. */
static bool is_unwind_all(const struct event_record *record)
{
	return record->kind == KYMO_EVENT_EXTENDED && record->extension == KYMO_EXTENDED_UNWIND_ALL;
}

static bool is_lost(const struct event_record *record)
{
	return record->kind == KYMO_EVENT_EXTENDED && record->extension == KYMO_EXTENDED_LOST;
}

/* How many regions end when collection stops: those inside of keep, or all. */
static size_t stopped_by(const struct trace_cursor *cursor, uint32_t keep)
{
	bool is_kept = keep < cursor->recording->region_count && cursor->open_counts[keep];

	return is_kept ? closed_by(cursor, keep) - 1 : cursor->depth;
}

static bool record_use(struct trace_cursor *cursor, const struct event_record *record,
		       struct trace_event *event)
{
	bool is_event;

	if (is_unwind_all(record)) {
		size_t count = stopped_by(cursor, record->region);

		return count > 0 && closing_begin(cursor, count, true, event, event);
	}
	if (is_lost(record)) {
		event->kind = TRACE_LOST;
		event->region = 0;
		event->value = record->word;
		return true;
	}
	is_event = record->region < cursor->recording->region_count &&
		   event_make(cursor, record, event);
	cursor->dropped += !is_event;
	return is_event;
}

static struct trace_event event_at(struct trace_cursor *cursor, uint64_t ticks, uint32_t region)
{
	uint64_t left_out = 0;

	if (ticks > cursor->time)
		cursor->time = ticks;
	if (cursor->pairs) {
		foreign_time_pass(&cursor->pairs->foreign, cursor->time);
		left_out = foreign_time_left_out(&cursor->pairs->foreign);
	}
	return (struct trace_event){
		.thread = cursor->thread,
		.region = region,
		.ticks = cursor->time,
		.left_out = left_out,
		.last_instruction = -1,
	};
}

/* The regions that are left with the innermost frames, including one of an event that was entered
 * inside of them.  0: they were already left with an enclosing event's region. */
static size_t regions_of_frames(struct trace_cursor *cursor, size_t count)
{
	struct frames_open *frames = &cursor->pairs->frames;
	size_t lowest = cursor->depth;

	for (; count > 0; count--) {
		uint32_t place = frames_pop(frames)->place;

		if (place < cursor->depth && cursor->open_regions[place].frame == frames->depth + 1)
			lowest = place;
	}
	return cursor->depth - lowest;
}

static bool function_events_close(struct trace_cursor *cursor, size_t count, size_t unwound,
				  struct trace_event *event)
{
	enum function_events_kind kind = cursor->pairs->record.kind;

	cursor->unwound_from = cursor->pairs->frames.depth - unwound;
	count = regions_of_frames(cursor, count);
	event->kind = TRACE_LEAVE;
	return count > 0 &&
	       closing_begin(cursor, count,
			     kind != FUNCTION_EVENTS_ENTER && kind != FUNCTION_EVENTS_EXIT, event,
			     event);
}

/* A call whose end is not recorded is left at once. */
static bool function_events_enter(struct trace_cursor *cursor, struct trace_event *event)
{
	const struct function_events_record *record = &cursor->pairs->record;
	const struct function *function = &cursor->recording->functions->items[record->id];
	struct frames_open *frames = &cursor->pairs->frames;
	bool has_end =
		functions_has_end(cursor->recording->functions, function->flags, record->ticks);
	struct open_frame *frame;

	event->kind = TRACE_ENTER;
	event->region = function->region;
	if (!region_open(cursor, function->region, has_end ? (uint32_t)frames->depth + 1 : 0))
		return false;
	if (!has_end) {
		cursor->closing_event = *event;
		cursor->closing_event.kind = TRACE_LEAVE;
		cursor->is_last_synthetic = false;
		cursor->closing = 1;
		return true;
	}
	frame = frames_push(frames, record->slot, record->id, function->flags);
	if (!frame) {
		region_close(cursor);
		return false;
	}
	frame->place = (uint32_t)cursor->depth - 1;
	return true;
}

/* Leave what ends with or before the next record, then take it. */
static bool function_events_use(struct trace_cursor *cursor, struct trace_event *event)
{
	struct trace_function_events *pairs = cursor->pairs;
	size_t unwound, count = trace_function_events_closed(pairs, &unwound);
	enum function_events_kind kind = pairs->record.kind;

	cursor->is_of_pairs = true;
	*event = event_at(cursor, pairs->record.ticks, 0);
	foreign_time_pass_record(&pairs->foreign, cursor->time);
	if (!trace_function_events_is_known(pairs)) {
		pairs->dropped++;
		trace_function_events_take(pairs);
		return false;
	}
	if (kind == FUNCTION_EVENTS_EXIT)
		trace_function_events_take(pairs);
	if (count > 0)
		return function_events_close(cursor, count, unwound, event);
	/* Nothing is open: it was entered before recording started. */
	if (kind == FUNCTION_EVENTS_EXIT)
		pairs->dropped += pairs->frames.depth > 0;
	trace_function_events_take(pairs);
	if (kind == FUNCTION_EVENTS_LOST) {
		event->kind = TRACE_LOST;
		return true;
	}
	return kind == FUNCTION_EVENTS_ENTER && function_events_enter(cursor, event);
}

/* Whether the next function record comes before the next event. */
static bool is_pairs_next(struct trace_cursor *cursor, bool has_event)
{
	const struct function_events_record *record =
		cursor->pairs ? trace_function_events_next(cursor->pairs) : NULL;

	return record && !(has_event && cursor->record.ticks <= record->ticks);
}

/* False: the record yielded nothing; true at the end, too. */
static bool cursor_step(struct trace_cursor *cursor, struct trace_event *event_out)
{
	bool has_event = cursor_record_next(cursor);

	if (is_pairs_next(cursor, has_event))
		return function_events_use(cursor, event_out);
	cursor->is_at_end = !has_event;
	cursor->has_record = false;
	cursor->is_of_pairs = false;
	if (!has_event)
		return true;
	*event_out = event_at(cursor, cursor->record.ticks, cursor->record.region);
	return record_use(cursor, &cursor->record, event_out);
}

bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event_out)
{
	if (cursor->closing)
		return closing_next(cursor, event_out);
	while (!cursor->is_at_end)
		if (cursor_step(cursor, event_out) && !cursor->is_at_end)
			return true;
	*event_out = event_at(cursor, cursor->end, 0);
	if (!cursor->depth)
		return false;
	return closing_begin(cursor, cursor->depth, true, event_out, event_out);
}
