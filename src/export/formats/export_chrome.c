/* The Chrome exporter: trace events in JSON, begin and end pairs, streamed.
 *
 * Begin and end rather than complete events: a viewer sorts complete events that begin in the same
 * nanosecond in an order of its own, pairs keep their order.  Times count from the run's start,
 * since microseconds since 1970 have no nanoseconds in a double. */
#include "export/export.h"

#include <math.h>

#include "base/text/jsontext.h"
#include "command/xalloc.h"
#include "export/decimal.h"
#include "export/export_names.h"
#include "export/export_sink.h"
#include "export/export_source.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"

/* Everything of an event but its region's text. */
#define EVENT_BYTES_MAX 512

/* Tracks of samples are written as threads: above every thread id. */
#define SAMPLES_ID_BASE 0x50000000u

struct chrome_region { /* e.g. ,"name":"f","cat":"python","args":{"file":"a.py","line":3 */
	char *text;    /* NULL = not made yet */
	uint32_t size;
	bool has_arguments; /* text ends inside of "args" */
};

struct chrome_stream {
	struct export_sink *sink;
	const struct recording *recording;
	const struct export_selection *selection;
	struct chrome_region *regions;
	const char *separator; /* before the next metadata event */
	uint64_t origin_ns;
	uint64_t last_ns; /* of the current thread */
	bool has_annotations;
	size_t head_size;
	char head[64]; /* ","pid":1,"tid":2,"ts": of the current thread */
};

static unsigned char *chrome_put(unsigned char *out, const char *text, size_t size)
{
	memcpy(out, text, size);
	return out + size;
}

#define PUT(out, literal) chrome_put(out, literal, sizeof(literal) - 1)

static uint64_t chrome_ns(const struct chrome_stream *stream, uint64_t ticks)
{
	uint64_t now = recording_realtime_ns(stream->recording, ticks);

	return now > stream->origin_ns ? now - stream->origin_ns : 0;
}

static void region_make(const struct chrome_stream *stream, const struct region *region,
			struct chrome_region *entry)
{
	char title[EXPORT_NAME_SIZE], name[EXPORT_NAME_SIZE * JSON_ESCAPE_MAX];
	char file[EXPORT_NAME_SIZE * JSON_ESCAPE_MAX] = "";
	bool has_file = stream->has_annotations && region->file;

	region_title(region, title, sizeof(title));
	json_escape(title, name, sizeof(name));
	if (has_file)
		json_escape(region->file, file, sizeof(file));
	entry->text = xasprintf(
		",\"name\":\"%s\",\"cat\":\"%s\"%s%s%s", name, region_category(region->kind),
		has_file ? ",\"args\":{\"file\":\"" : "", file, has_file ? "\"" : "");
	entry->size = (uint32_t)strlen(entry->text);
	entry->has_arguments = has_file;
}

static const struct chrome_region *chrome_region_get(struct chrome_stream *stream, uint32_t region)
{
	struct chrome_region *entry = &stream->regions[region];

	if (!entry->text)
		region_make(stream, &stream->recording->regions[region], entry);
	return entry;
}

/* ,{"ph":"B","pid":1,"tid":2,"ts":3.456 */
static unsigned char *event_open(struct chrome_stream *stream, char phase, uint64_t ticks)
{
	unsigned char *out = sink_reserve(stream->sink, EVENT_BYTES_MAX);
	uint64_t now = chrome_ns(stream, ticks);

	if (now < stream->last_ns)
		now = stream->last_ns;
	stream->last_ns = now;
	out = PUT(out, ",\n{\"ph\":\"");
	*out++ = (unsigned char)phase;
	out = chrome_put(out, stream->head, stream->head_size);
	return decimal_put_us(out, now);
}

static unsigned char *chrome_put_argument(unsigned char *out, bool *has_arguments, const char *name,
					  uint64_t value)
{
	out = *has_arguments ? PUT(out, ",\"") : PUT(out, ",\"args\":{\"");
	*has_arguments = true;
	out = chrome_put(out, name, strlen(name));
	out = PUT(out, "\":");
	return decimal_put(out, value);
}

static unsigned char *put_begin_arguments(const struct chrome_stream *stream, unsigned char *out,
					  const struct trace_event *event, bool *has_arguments)
{
	const struct region *region = &stream->recording->regions[event->region];

	if (region->line)
		out = chrome_put_argument(out, has_arguments, "line", region->line);
	if (event->last_instruction >= 0) {
		out = chrome_put_argument(out, has_arguments, "lasti",
					  (uint64_t)event->last_instruction);
		out = chrome_put_argument(out, has_arguments, "argcount", region->argument_count);
		out = chrome_put_argument(out, has_arguments, "nlocals", region->local_count);
		out = chrome_put_argument(out, has_arguments, "stacksize", region->stack_size);
	}
	if (event->identity)
		out = chrome_put_argument(out, has_arguments, "generator", event->identity);
	return out;
}

static void event_close(struct chrome_stream *stream, unsigned char *out, bool has_arguments)
{
	if (has_arguments)
		*out++ = '}';
	*out++ = '}';
	sink_fill(stream->sink, out);
}

/* JSON has finite numbers only; others, and pointers, are texts. */
static void chrome_put_value(struct chrome_stream *stream, const struct trace_value *value)
{
	switch (value->type) {
	case KYMO_VALUE_TEXT:
		sink_json(stream->sink, value->as.text);
		break;
	case KYMO_VALUE_SIGNED:
		sink_format(stream->sink, "%lld", (long long)value->as.number);
		break;
	case KYMO_VALUE_UNSIGNED:
		sink_format(stream->sink, "%llu", (unsigned long long)value->as.natural);
		break;
	case KYMO_VALUE_FLOAT:
		sink_format(stream->sink, isfinite(value->as.real) ? "%.17g" : "\"%g\"",
			    value->as.real);
		break;
	case KYMO_VALUE_POINTER:
		sink_format(stream->sink, "\"0x%llx\"", (unsigned long long)value->as.natural);
		break;
	}
}

/* Users' values of an event. */
static void put_values(struct chrome_stream *stream, struct trace_cursor *cursor,
		       bool *has_arguments)
{
	struct trace_value value;

	while (trace_cursor_value(cursor, &value)) {
		sink_text(stream->sink, *has_arguments ? "," : ",\"args\":{");
		*has_arguments = true;
		sink_json(stream->sink, value.name);
		sink_byte(stream->sink, ':');
		chrome_put_value(stream, &value);
	}
}

/* A begin or an instant, with its region's name. */
static void put_named(struct chrome_stream *stream, char phase, struct trace_cursor *cursor,
		      const struct trace_event *event)
{
	const struct chrome_region *region = chrome_region_get(stream, event->region);
	unsigned char *out = event_open(stream, phase, event->ticks);
	bool has_arguments = region->has_arguments;

	if (phase == 'i')
		out = PUT(out, ",\"s\":\"t\"");
	sink_fill(stream->sink, out);
	sink_write(stream->sink, region->text, region->size);
	out = sink_reserve(stream->sink, EVENT_BYTES_MAX);
	if (stream->has_annotations)
		out = put_begin_arguments(stream, out, event, &has_arguments);
	sink_fill(stream->sink, out);
	if (cursor && stream->has_annotations &&
	    region_may_have_values(stream->recording->regions[event->region].kind))
		put_values(stream, cursor, &has_arguments);
	event_close(stream, sink_reserve(stream->sink, EVENT_BYTES_MAX), has_arguments);
}

static void chrome_put_end(struct chrome_stream *stream, struct trace_cursor *cursor,
			   const struct trace_event *event)
{
	unsigned char *out = event_open(stream, 'E', event->ticks);
	bool has_arguments = false;

	if (stream->has_annotations && event->kind == TRACE_UNWIND)
		out = chrome_put_argument(out, &has_arguments, "left by exception", 1);
	if (stream->has_annotations && event->is_synthetic)
		out = chrome_put_argument(out, &has_arguments, "unfinished", 1);
	if (cursor && stream->has_annotations && event->kind == TRACE_LEAVE &&
	    !event->is_synthetic &&
	    region_may_return_values(stream->recording->regions[event->region].kind)) {
		sink_fill(stream->sink, out);
		put_values(stream, cursor, &has_arguments);
		out = sink_reserve(stream->sink, EVENT_BYTES_MAX);
	}
	event_close(stream, out, has_arguments);
}

static void chrome_put_lost(struct chrome_stream *stream, const struct trace_event *event)
{
	unsigned char *out = event_open(stream, 'i', event->ticks);
	bool has_arguments = false;

	out = PUT(out, ",\"s\":\"t\",\"name\":\"lost events\"");
	out = chrome_put_argument(out, &has_arguments, "count", event->value);
	event_close(stream, out, has_arguments);
}

/* An end of a message: Perfetto and Chrome bind it to the slice around it. */
static void chrome_put_message(struct chrome_stream *stream, const struct trace_event *event)
{
	const struct chrome_region *region = chrome_region_get(stream, event->region);
	bool is_send = event->kind == TRACE_SEND;
	unsigned char *out = event_open(stream, is_send ? 's' : 'f', event->ticks);

	if (!is_send)
		out = PUT(out, ",\"bp\":\"e\"");
	sink_fill(stream->sink, out);
	sink_format(stream->sink, ",\"id\":\"%016llx\"",
		    (unsigned long long)flow_id(stream->recording, event));
	sink_write(stream->sink, region->text, region->size);
	event_close(stream, sink_reserve(stream->sink, EVENT_BYTES_MAX), region->has_arguments);
}

static void chrome_put_any(struct chrome_stream *stream, struct trace_cursor *cursor,
			   const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_ENTER:
		put_named(stream, 'B', cursor, event);
		break;
	case TRACE_INSTANT:
		put_named(stream, 'i', cursor, event);
		break;
	case TRACE_SEND:
	case TRACE_RECEIVE:
		chrome_put_message(stream, event);
		break;
	case TRACE_LEAVE:
	case TRACE_UNWIND:
		chrome_put_end(stream, cursor, event);
		break;
	case TRACE_LOST:
		chrome_put_lost(stream, event);
		break;
	}
}

static void export_chrome_put_metadata(struct chrome_stream *stream, const char *what,
				       uint64_t thread, const char *name)
{
	sink_format(stream->sink, "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%llu,\"name\":\"%s\",",
		    stream->separator, stream->recording->header.pid, (unsigned long long)thread,
		    what);
	stream->separator = ",";
	sink_text(stream->sink, "\"args\":{\"name\":");
	sink_json(stream->sink, name);
	sink_text(stream->sink, "}}");
}

static void track_begin(struct chrome_stream *stream, uint64_t id, const char *title)
{
	export_chrome_put_metadata(stream, "thread_name", id, title);
	stream->last_ns = 0;
	stream->head_size = (size_t)snprintf(stream->head, sizeof(stream->head),
					     "\",\"pid\":%u,\"tid\":%llu,\"ts\":",
					     stream->recording->header.pid, (unsigned long long)id);
}

static enum kymo_status chrome_put_thread(struct chrome_stream *stream, uint32_t thread,
					  const bool *regions)
{
	char title[EXPORT_NAME_SIZE];
	struct trace_cursor *cursor;
	struct trace_event event;
	enum kymo_status status = trace_cursor_new(stream->recording, thread, &cursor);

	if (status < 0)
		return status;
	thread_title(stream->recording, thread, title, sizeof(title));
	track_begin(stream, thread_export_id(stream->recording, thread), title);
	while (!sink_has_failed(stream->sink) && trace_cursor_next(cursor, &event)) {
		if (!regions || event.kind == TRACE_LOST || regions[event.region])
			chrome_put_any(stream, cursor, &event);
	}
	trace_cursor_free(cursor);
	return KYMO_OK;
}

static void chrome_begin_slice(void *context, uint32_t region, uint64_t ticks)
{
	struct trace_event event = {
		.kind = TRACE_ENTER, .region = region, .ticks = ticks, .last_instruction = -1};

	put_named(context, 'B', NULL, &event);
}

static void chrome_end_slice(void *context, uint64_t ticks)
{
	struct trace_event event = {.kind = TRACE_LEAVE, .ticks = ticks};

	chrome_put_end(context, NULL, &event);
}

static void chrome_begin_samples(void *context, uint32_t track, const char *title)
{
	track_begin(context, SAMPLES_ID_BASE + track, title);
}

static void chrome_put_thread_samples(struct chrome_stream *stream,
				      const struct recording_samples *samples, uint32_t thread,
				      const bool *regions)
{
	const struct sample_slices slices = {chrome_begin_slice, chrome_end_slice, stream};

	samples_each_track(samples, thread, regions, stream->sink, chrome_begin_samples, &slices);
}

static void export_chrome_put_counters(struct chrome_stream *stream)
{
	const struct recording *recording = stream->recording;
	struct kymo_point point;
	uint64_t index = 0;

	while (recording_point(recording, &index, &point) && !sink_has_failed(stream->sink)) {
		unsigned char *out;

		if (point.series >= recording->series_count || !isfinite(point.value))
			continue;
		sink_format(stream->sink,
			    ",\n{\"ph\":\"C\",\"pid\":%u,\"name\":", recording->header.pid);
		sink_json(stream->sink, recording->series[point.series].name);
		out = sink_reserve(stream->sink, EVENT_BYTES_MAX);
		out = PUT(out, ",\"ts\":");
		sink_fill(stream->sink, decimal_put_us(out, chrome_ns(stream, point.ticks)));
		sink_format(stream->sink, ",\"args\":{\"value\":%.17g}}", point.value);
	}
}

static void regions_free(struct chrome_stream *stream)
{
	for (uint32_t i = 0; i < stream->recording->region_count; i++)
		xfree(stream->regions[i].text);
	xfree(stream->regions);
}

static enum kymo_status chrome_put_recording(struct chrome_stream *stream,
					     const struct recording_samples *samples, size_t index)
{
	const struct recording *recording = stream->selection->run->recordings[index];
	enum kymo_status status = KYMO_OK;

	stream->recording = recording;
	stream->regions = xcalloc((size_t)recording->region_count + 1, sizeof(*stream->regions));
	export_chrome_put_metadata(stream, "process_name", recording->header.pid,
				   recording_program(recording));
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++) {
		const bool *regions = selection_regions(stream->selection, index);

		if (!selection_has_thread(stream->selection, index, i))
			continue;
		status = chrome_put_thread(stream, i, regions);
		if (status == KYMO_OK)
			chrome_put_thread_samples(stream, samples, i, regions);
	}
	if (status == KYMO_OK)
		export_chrome_put_counters(stream);
	regions_free(stream);
	return status;
}

static enum kymo_status chrome_put_document(struct chrome_stream *stream,
					    const struct run_samples *samples)
{
	const struct run *run = stream->selection->run;
	const char *estimates = selection_estimate_text(stream->selection);
	enum kymo_status status = KYMO_OK;

	sink_text(stream->sink, "{\"traceEvents\":[");
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		if (selection_has_recording(stream->selection, i))
			status = chrome_put_recording(stream, &samples->items[i], i);
	}
	/* The origin is text: it has more digits than a double. */
	sink_format(stream->sink,
		    "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"exporter\":"
		    "\"kymo " KYMO_VERSION "\",\"origin_realtime_ns\":\"%llu\"",
		    (unsigned long long)stream->origin_ns);
	if (estimates) {
		sink_text(stream->sink, ",\"estimates\":");
		sink_json(stream->sink, estimates);
	}
	sink_text(stream->sink, "}}\n");
	return status;
}

static enum kymo_status chrome_put_run(struct chrome_stream *stream,
				       const struct export_source *source, struct problem *problem)
{
	enum kymo_status status =
		selection_require_trace(&source->selection, &source->samples, problem);

	stream->selection = &source->selection;
	if (status == KYMO_OK)
		status = chrome_put_document(stream, &source->samples);
	return status;
}

static enum kymo_status chrome_write(const struct export_source *source,
				     const struct export_options *options, struct export_sink *sink,
				     struct problem *problem)
{
	struct chrome_stream stream = {
		.sink = sink,
		.separator = "",
		.origin_ns = run_origin_ns(source->selection.run),
		.has_annotations = options->has_annotations,
	};

	return chrome_put_run(&stream, source, problem);
}

const struct exporter chrome_exporter = {
	.name = "chrome",
	.extension = "json",
	.description = "timeline for chrome://tracing, Perfetto and speedscope (trace event JSON); "
		       "needs a trace or samples",
	.has_calls_and_samples = true,
	.write = chrome_write,
};
