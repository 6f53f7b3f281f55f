/* The Perfetto exporter: the recordings' events as a stream of TrackEvent packets. One pass, thread
 * by thread, in the memory of one recording's region names; Perfetto sorts what it loads, so
 * nothing is sorted here.  Samples are tracks of their own, next to the threads'. */
#include "export/export.h"

#include "export/export_names.h"
#include "export/export_source.h"
#include "export/formats/perfetto_stream.h"
#include "export/formats/perfetto_values.h"
#include "model/functions/estimates_text.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"

/* Head of an event packet, a region's fields and the annotations of one event. */
#define EVENT_PACKET_MAX 320
#define EXTRA_MAX	 (6 * PERFETTO_ANNOTATION_MAX)

/* Nanoseconds since the sequence's last packet. */
static uint64_t stamp(struct perfetto_stream *stream, uint64_t ticks)
{
	uint64_t now = recording_realtime_ns(stream->recording, ticks) - stream->origin_ns;
	uint64_t last = stream->last_ns;

	/* A clock pair out of order, or an event older than the recording. */
	if ((int64_t)(now - last) < 0)
		return 0;
	stream->last_ns = now;
	return now - last;
}

/* Everything of an event's packet up to the content of the event, size bytes. */
static inline unsigned char *put_head(const struct perfetto_stream *stream, unsigned char *out,
				      uint64_t delta, size_t size)
{
	size_t packet = 1 + protobuf_varint_size(delta) + stream->head_size + 1 +
			protobuf_varint_size(size) + size;

	out = protobuf_varint(protobuf_tag(out, TRACE_PACKET, PROTOBUF_BYTES), packet);
	out = protobuf_uint(out, PACKET_TIMESTAMP, delta);
	memcpy(out, stream->head, sizeof(stream->head));
	out += stream->head_size;
	out = protobuf_tag(out, PACKET_TRACK_EVENT, PROTOBUF_BYTES);
	return protobuf_varint(out, size);
}

/* One event: type, then a region's fields, then the event's own. */
static inline void perfetto_put_event(struct perfetto_stream *stream, enum perfetto_event_type type,
				      const struct trace_event *event,
				      const struct perfetto_region *region,
				      const unsigned char *extra, size_t extra_size)
{
	size_t region_size = region ? region->size : 0;
	uint64_t delta = stamp(stream, event->ticks);
	unsigned char *out = sink_reserve(stream->sink, EVENT_PACKET_MAX + extra_size);

	out = put_head(stream, out, delta, 2 + region_size + extra_size);
	out = protobuf_uint(out, EVENT_TYPE, type);
	if (region) {
		memcpy(out, region->fields, sizeof(region->fields));
		out += region_size;
	}
	if (extra_size)
		memcpy(out, extra, extra_size);
	sink_fill(stream->sink, out + extra_size);
}

static inline bool has_extra(const struct trace_event *event)
{
	return event->last_instruction >= 0 || event->identity != 0;
}

/* Additional fields of an annotated enter or a generator's resume. */
static size_t begin_extra(const struct perfetto_stream *stream, const struct trace_event *event,
			  unsigned char *extra)
{
	const struct region *region = &stream->recording->regions[event->region];
	unsigned char *out = extra;

	if (event->last_instruction >= 0) {
		out = perfetto_annotation(out, NOTE_LAST_INSTRUCTION, ANNOTATION_UINT,
					  (uint64_t)event->last_instruction);
		out = perfetto_annotation(out, NOTE_ARGUMENT_COUNT, ANNOTATION_UINT,
					  region->argument_count);
		out = perfetto_annotation(out, NOTE_LOCAL_COUNT, ANNOTATION_UINT,
					  region->local_count);
		out = perfetto_annotation(out, NOTE_STACK_SIZE, ANNOTATION_UINT,
					  region->stack_size);
	}
	if (event->identity)
		out = perfetto_annotation(out, NOTE_GENERATOR, ANNOTATION_UINT, event->identity);
	return (size_t)(out - extra);
}

/* A begin or an instant that may have users' values. */
static __attribute__((noinline)) void put_with_values(struct perfetto_stream *stream,
						      struct trace_cursor *cursor,
						      const struct trace_event *event)
{
	const struct perfetto_region *region = perfetto_region_get(stream, event->region);
	unsigned char extra[EXTRA_MAX + PERFETTO_VALUES_MAX];
	size_t size = has_extra(event) ? begin_extra(stream, event, extra) : 0;

	size += perfetto_values(cursor, extra + size);

	perfetto_put_event(stream, event->kind == TRACE_ENTER ? EVENT_SLICE_BEGIN : EVENT_INSTANT,
			   event, region, extra, size);
}

static void perfetto_put_message(struct perfetto_stream *stream, const struct trace_event *event)
{
	unsigned char extra[PERFETTO_FLOW_MAX];
	size_t size = perfetto_flow(stream->recording, event, extra);

	perfetto_put_event(stream, EVENT_INSTANT, event, perfetto_region_get(stream, event->region),
			   extra, size);
}

static void put_begin(struct perfetto_stream *stream, const struct trace_event *event)
{
	const struct perfetto_region *region = perfetto_region_get(stream, event->region);
	unsigned char extra[EXTRA_MAX];
	size_t size = 0;

	if (has_extra(event) && stream->has_annotations)
		size = begin_extra(stream, event, extra);
	perfetto_put_event(stream, EVENT_SLICE_BEGIN, event, region, extra, size);
}

static void perfetto_put_end(struct perfetto_stream *stream, const struct trace_event *event)
{
	unsigned char extra[EXTRA_MAX], *out = extra;

	if (stream->has_annotations && event->kind == TRACE_UNWIND)
		out = perfetto_annotation(out, NOTE_UNWOUND, ANNOTATION_BOOL, 1);
	if (stream->has_annotations && event->is_synthetic)
		out = perfetto_annotation(out, NOTE_UNFINISHED, ANNOTATION_BOOL, 1);
	perfetto_put_event(stream, EVENT_SLICE_END, event, NULL, extra, (size_t)(out - extra));
}

/* An end that may have a return value. */
static __attribute__((noinline)) void put_return(struct perfetto_stream *stream,
						 struct trace_cursor *cursor,
						 const struct trace_event *event)
{
	unsigned char extra[PERFETTO_VALUES_MAX];
	size_t size = perfetto_values(cursor, extra);

	perfetto_put_event(stream, EVENT_SLICE_END, event, NULL, extra, size);
}

/* Losses are part of the data: shown with and without annotations. */
static void perfetto_put_lost(struct perfetto_stream *stream, const struct trace_event *event)
{
	unsigned char extra[EXTRA_MAX], *out;

	out = protobuf_string(extra, EVENT_NAME, "lost events");
	out = perfetto_annotation(out, NOTE_LOST_EVENTS, ANNOTATION_UINT, event->value);
	perfetto_put_event(stream, EVENT_INSTANT, event, NULL, extra, (size_t)(out - extra));
}

static inline bool may_have_values(const struct perfetto_stream *stream,
				   const struct trace_event *event)
{
	return stream->has_annotations &&
	       region_may_have_values(stream->recording->regions[event->region].kind);
}

static inline bool may_return_values(const struct perfetto_stream *stream,
				     const struct trace_event *event)
{
	return stream->has_annotations && event->kind == TRACE_LEAVE && !event->is_synthetic &&
	       region_may_return_values(stream->recording->regions[event->region].kind);
}

static void perfetto_put_any(struct perfetto_stream *stream, struct trace_cursor *cursor,
			     const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_ENTER:
		if (may_have_values(stream, event))
			put_with_values(stream, cursor, event);
		else
			put_begin(stream, event);
		break;
	case TRACE_LEAVE:
	case TRACE_UNWIND:
		if (may_return_values(stream, event))
			put_return(stream, cursor, event);
		else
			perfetto_put_end(stream, event);
		break;
	case TRACE_INSTANT:
		if (may_have_values(stream, event))
			put_with_values(stream, cursor, event);
		else
			perfetto_put_event(stream, EVENT_INSTANT, event,
					   perfetto_region_get(stream, event->region), NULL, 0);
		break;
	case TRACE_SEND:
	case TRACE_RECEIVE:
		perfetto_put_message(stream, event);
		break;
	case TRACE_LOST:
		perfetto_put_lost(stream, event);
		break;
	}
}

static enum kymo_status put_thread_events(struct perfetto_stream *stream, uint32_t thread,
					  const bool *regions)
{
	struct trace_cursor *cursor;
	struct trace_event event;
	enum kymo_status status = trace_cursor_new(stream->recording, thread, &cursor);

	if (status < 0)
		return status;
	perfetto_thread_begin(stream, thread);
	while (trace_cursor_next(cursor, &event)) {
		if (regions && event.kind != TRACE_LOST && !regions[event.region])
			continue;
		perfetto_put_any(stream, cursor, &event);
		if (sink_has_failed(stream->sink))
			break;
	}
	trace_cursor_free(cursor);
	return KYMO_OK;
}

static void perfetto_begin_slice(void *context, uint32_t region, uint64_t ticks)
{
	struct perfetto_stream *stream = context;
	struct trace_event event = {.ticks = ticks};

	perfetto_put_event(stream, EVENT_SLICE_BEGIN, &event, perfetto_region_get(stream, region),
			   NULL, 0);
}

static void perfetto_end_slice(void *context, uint64_t ticks)
{
	struct trace_event event = {.ticks = ticks};

	perfetto_put_event(context, EVENT_SLICE_END, &event, NULL, NULL, 0);
}

static void perfetto_begin_samples(void *context, uint32_t track, const char *title)
{
	perfetto_samples_begin(context, track, title);
}

static void perfetto_put_thread_samples(struct perfetto_stream *stream,
					const struct recording_samples *samples, uint32_t thread,
					const bool *regions)
{
	const struct sample_slices slices = {perfetto_begin_slice, perfetto_end_slice, stream};

	samples_each_track(samples, thread, regions, stream->sink, perfetto_begin_samples, &slices);
}

static void put_process_data(struct perfetto_stream *stream)
{
	const struct recording *recording = stream->recording;
	const char *estimates = estimates_text(recording);
	struct kymo_point point;
	uint64_t index = 0;

	while (recording_point(recording, &index, &point) && !sink_has_failed(stream->sink)) {
		if (point.series < recording->series_count)
			perfetto_counter_put(stream, &point);
	}
	if (estimates)
		perfetto_note_put(stream, &(struct note){.ticks = recording->header.start_ticks,
							 .key = "estimates",
							 .value = estimates});
	for (size_t i = 0; i < recording->note_count; i++) {
		if (recording->notes[i].kind == KYMO_NOTE_WARNING ||
		    recording->notes[i].kind == KYMO_NOTE_LOSS)
			perfetto_note_put(stream, &recording->notes[i]);
	}
}

static enum kymo_status perfetto_put_recording(struct perfetto_stream *stream,
					       const struct export_selection *selection,
					       const struct recording_samples *samples,
					       size_t index)
{
	const struct recording *recording = selection->run->recordings[index];
	enum kymo_status status = KYMO_OK;

	perfetto_process_begin(stream, recording);
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++) {
		const bool *regions = selection_regions(selection, index);

		if (!selection_has_thread(selection, index, i))
			continue;
		status = put_thread_events(stream, i, regions);
		perfetto_put_thread_samples(stream, samples, i, regions);
	}
	if (status == KYMO_OK)
		put_process_data(stream);
	perfetto_process_end(stream);
	return status;
}

static enum kymo_status perfetto_put_run(struct perfetto_stream *stream,
					 const struct export_source *source, const struct run *run,
					 struct problem *problem)
{
	enum kymo_status status =
		selection_require_trace(&source->selection, &source->samples, problem);

	if (status == KYMO_OK)
		perfetto_run_begin(stream);
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		if (selection_has_recording(&source->selection, i))
			status = perfetto_put_recording(stream, &source->selection,
							&source->samples.items[i], i);
	}
	return status;
}

static enum kymo_status perfetto_write(const struct export_source *source,
				       const struct export_options *options,
				       struct export_sink *sink, struct problem *problem)
{
	const struct run *run = source->selection.run;
	struct perfetto_stream stream = {
		.sink = sink,
		.origin_ns = run_origin_ns(run),
		.has_annotations = options->has_annotations,
		.recording = run->recordings[0],
	};

	return perfetto_put_run(&stream, source, run, problem);
}

const struct exporter perfetto_exporter = {
	.name = "perfetto",
	.extension = "proto",
	.description =
		"timeline for ui.perfetto.dev (TrackEvent protobuf); needs a trace or samples",
	.is_binary = true,
	.has_calls_and_samples = true,
	.write = perfetto_write,
};
