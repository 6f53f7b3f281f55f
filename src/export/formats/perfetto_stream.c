/* Packets of a Perfetto trace other than events: clocks, tracks, names, counters, notes.
 *
 * Clocks: the trace's clock is CLOCK_REALTIME, the only one that is common to processes on several
 * machines.  A thread's sequence stamps its packets with a clock of its own that counts from the
 * run's origin and is incremental, so that a stamp takes two bytes, not nine; the snapshot that
 * opens the sequence relates it to CLOCK_REALTIME.  All snapshots have the same time: the trace's
 * clock must not step back from one to the next. */
#include "export/formats/perfetto_stream.h"

#include <stdio.h>

#include "base/hashset.h"
#include "base/text/utf8.h"
#include "command/xalloc.h"
#include "export/export_names.h"
#include "model/recording/recording_open.h"

/* Maximum size of such a packet: a few names of EXPORT_NAME_SIZE and small fields. */
#define COLD_PACKET_MAX (4 * EXPORT_NAME_SIZE)

enum track_kind { TRACK_OF_PROCESS = 1, TRACK_OF_THREAD, TRACK_OF_SERIES, TRACK_OF_SAMPLES };

static const char *const annotation_names[NOTE_COUNT] = {
	[NOTE_FILE] = "file",
	[NOTE_LINE] = "line",
	[NOTE_LAST_INSTRUCTION] = "lasti",
	[NOTE_ARGUMENT_COUNT] = "argcount",
	[NOTE_LOCAL_COUNT] = "nlocals",
	[NOTE_STACK_SIZE] = "stacksize",
	[NOTE_GENERATOR] = "generator",
	[NOTE_UNWOUND] = "left by exception",
	[NOTE_UNFINISHED] = "unfinished",
	[NOTE_LOST_EVENTS] = "lost events",
	[NOTE_TEXT] = "text",
};

/* Stable over exports, different for every track of every run. */
static uint64_t track_uuid(const struct recording *recording, enum track_kind kind, uint32_t number)
{
	const struct kymo_header *header = &recording->header;
	uint64_t hash = hash_bytes(HASH_SEED, header->run_id, sizeof(header->run_id));

	hash = hash_bytes(hash, &header->pid, sizeof(header->pid));
	hash = hash_bytes(hash, &header->start_realtime_ns, sizeof(header->start_realtime_ns));
	hash = hash_bytes(hash, &(uint32_t){kind}, sizeof(uint32_t));
	hash = hash_bytes(hash, &number, sizeof(number));
	return hash ? hash : 1;
}

static unsigned char *stream_put_text(unsigned char *out, uint32_t field, const char *text)
{
	char clean[EXPORT_NAME_SIZE];

	utf8_clean(text, clean, sizeof(clean));
	return protobuf_string(out, field, clean);
}

/* Begin a packet of the run's sequence or of the current one. */
static unsigned char *packet_open(struct perfetto_stream *stream, uint32_t sequence, uint32_t flags,
				  unsigned char **content_out)
{
	unsigned char *out = sink_reserve(stream->sink, COLD_PACKET_MAX);

	*content_out = out = protobuf_open(out, TRACE_PACKET);
	out = protobuf_uint(out, PACKET_SEQUENCE_ID, sequence);
	return protobuf_uint(out, PACKET_SEQUENCE_FLAGS, flags);
}

static void packet_close(struct perfetto_stream *stream, unsigned char *content, unsigned char *out)
{
	protobuf_close(content, out);
	sink_fill(stream->sink, out);
}

static unsigned char *put_clock(unsigned char *out, enum perfetto_clock clock, uint64_t time_ns)
{
	unsigned char *content = out = protobuf_open(out, CLOCK_SNAPSHOT_CLOCKS);

	out = protobuf_uint(out, CLOCK_ID, clock);
	out = protobuf_uint(out, CLOCK_TIMESTAMP, time_ns);
	if (clock == CLOCK_SEQUENCE_ID)
		out = protobuf_uint(out, CLOCK_IS_INCREMENTAL, 1);
	protobuf_close(content, out);
	return out;
}

/* The time of the origin on CLOCK_REALTIME and on another clock. */
static unsigned char *put_snapshot(unsigned char *out, const struct perfetto_stream *stream,
				   enum perfetto_clock clock, uint64_t time_ns)
{
	unsigned char *content = out = protobuf_open(out, PACKET_CLOCK_SNAPSHOT);

	out = put_clock(out, CLOCK_REALTIME_ID, stream->origin_ns);
	out = put_clock(out, clock, time_ns);
	out = protobuf_uint(out, CLOCK_SNAPSHOT_PRIMARY, CLOCK_REALTIME_ID);
	protobuf_close(content, out);
	return out;
}

static unsigned char *put_defaults(unsigned char *out, enum perfetto_clock clock, uint64_t uuid)
{
	unsigned char *defaults = out = protobuf_open(out, PACKET_DEFAULTS), *event;

	out = protobuf_uint(out, DEFAULTS_CLOCK_ID, clock);
	if (uuid) {
		event = out = protobuf_open(out, DEFAULTS_TRACK_EVENT);
		out = protobuf_uint(out, TRACK_DEFAULTS_TRACK_UUID, uuid);
		protobuf_close(event, out);
	}
	protobuf_close(defaults, out);
	return out;
}

/* Names that every sequence may refer to. */
static unsigned char *put_common_names(unsigned char *out)
{
	unsigned char *content = out = protobuf_open(out, PACKET_INTERNED_DATA);

	for (uint32_t kind = KYMO_REGION_ROOT; kind <= KYMO_REGION_INSTANT; kind++)
		out = perfetto_interned(out, INTERNED_CATEGORIES, kind + 1, region_category(kind));
	for (uint32_t name = NOTE_FILE; name < NOTE_COUNT; name++)
		out = perfetto_interned(out, INTERNED_ANNOTATION_NAMES, name,
					annotation_names[name]);
	protobuf_close(content, out);
	return out;
}

/* The packet that opens a sequence: its clock, its defaults, its names. */
static void sequence_begin(struct perfetto_stream *stream, uint32_t sequence,
			   enum perfetto_clock clock, uint64_t clock_ns, uint64_t uuid)
{
	unsigned char *content, *out;

	out = packet_open(stream, sequence, SEQUENCE_STATE_CLEARED, &content);
	out = protobuf_uint(out, PACKET_FIRST_ON_SEQUENCE, 1);
	out = put_snapshot(out, stream, clock, clock_ns);
	out = put_defaults(out, uuid ? clock : CLOCK_REALTIME_ID, uuid);
	out = put_common_names(out);
	packet_close(stream, content, out);
}

void perfetto_run_begin(struct perfetto_stream *stream)
{
	const struct recording *recording = stream->recording;
	uint64_t start_ns = recording_realtime_ns(recording, recording->header.start_ticks);
	uint64_t monotonic_ns = recording_monotonic_ns(recording, recording->header.start_ticks);

	stream->sequence_count = PERFETTO_RUN_SEQUENCE;
	sequence_begin(stream, PERFETTO_RUN_SEQUENCE, CLOCK_MONOTONIC_ID,
		       monotonic_ns - (start_ns - stream->origin_ns), 0);
}

static unsigned char *track_open(struct perfetto_stream *stream, uint32_t sequence, uint64_t uuid,
				 unsigned char *contents_out[2])
{
	unsigned char *out;

	out = packet_open(stream, sequence, SEQUENCE_NEEDS_STATE, &contents_out[0]);
	contents_out[1] = out = protobuf_open(out, PACKET_TRACK_DESCRIPTOR);
	return protobuf_uint(out, TRACK_UUID, uuid);
}

static void track_close(struct perfetto_stream *stream, unsigned char *contents[2],
			unsigned char *out)
{
	protobuf_close(contents[1], out);
	packet_close(stream, contents[0], out);
}

void perfetto_process_end(struct perfetto_stream *stream)
{
	xfree(stream->regions);
	xfree(stream->series);
	stream->regions = NULL;
	stream->series = NULL;
}

void perfetto_process_begin(struct perfetto_stream *stream, const struct recording *recording)
{
	unsigned char *contents[2], *process, *out;

	stream->regions = xcalloc((size_t)recording->region_count + 1, sizeof(*stream->regions));
	stream->series = xcalloc(recording->series_count + 1, sizeof(*stream->series));
	stream->recording = recording;
	stream->process_uuid = track_uuid(recording, TRACK_OF_PROCESS, 0);
	out = track_open(stream, PERFETTO_RUN_SEQUENCE, stream->process_uuid, contents);
	process = out = protobuf_open(out, TRACK_PROCESS);
	out = protobuf_uint(out, PROCESS_PID, recording->header.pid);
	out = stream_put_text(out, PROCESS_NAME, recording_program(recording));
	protobuf_close(process, out);
	track_close(stream, contents, out);
}

static unsigned char *stream_put_thread(unsigned char *out, const struct recording *recording,
					uint32_t thread, const char *title)
{
	unsigned char *content;

	if (recording->threads[thread].flags & KYMO_THREAD_FIBER)
		return protobuf_string(out, TRACK_NAME, title);
	content = out = protobuf_open(out, TRACK_THREAD);
	out = protobuf_uint(out, THREAD_PID, recording->header.pid);
	out = protobuf_uint(out, THREAD_TID, thread_export_id(recording, thread));
	out = protobuf_string(out, THREAD_NAME, title);
	protobuf_close(content, out);
	return out;
}

/* Begin a sequence whose events belong to a track. */
static void track_sequence_begin(struct perfetto_stream *stream, uint64_t uuid)
{
	unsigned char *out;

	stream->sequence = ++stream->sequence_count;
	stream->last_ns = 0;
	out = protobuf_uint(stream->head, PACKET_SEQUENCE_ID, stream->sequence);
	out = protobuf_uint(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	stream->head_size = (uint8_t)(out - stream->head);
	sequence_begin(stream, stream->sequence, CLOCK_SEQUENCE_ID, 0, uuid);
}

void perfetto_thread_begin(struct perfetto_stream *stream, uint32_t thread)
{
	uint64_t uuid = track_uuid(stream->recording, TRACK_OF_THREAD, thread);
	unsigned char *contents[2], *out;
	char title[EXPORT_NAME_SIZE];

	track_sequence_begin(stream, uuid);
	thread_title(stream->recording, thread, title, sizeof(title));
	out = track_open(stream, stream->sequence, uuid, contents);
	out = protobuf_uint(out, TRACK_PARENT_UUID, stream->process_uuid);
	out = stream_put_thread(out, stream->recording, thread, title);
	track_close(stream, contents, out);
}

void perfetto_samples_begin(struct perfetto_stream *stream, uint32_t number, const char *title)
{
	uint64_t uuid = track_uuid(stream->recording, TRACK_OF_SAMPLES, number);
	unsigned char *contents[2], *out;

	track_sequence_begin(stream, uuid);
	out = track_open(stream, stream->sequence, uuid, contents);
	out = protobuf_uint(out, TRACK_PARENT_UUID, stream->process_uuid);
	out = stream_put_text(out, TRACK_NAME, title);
	track_close(stream, contents, out);
}

static bool region_has_file(const struct perfetto_stream *stream, const struct region *region)
{
	return stream->has_annotations && region->file && *region->file;
}

/* The iids are the region's id + 1 for both name and file: a file of many regions is interned once
 * for each, which costs less than a search. */
static void region_encode(const struct perfetto_stream *stream, const struct region *region,
			  uint32_t iid, struct perfetto_region *entry)
{
	uint32_t kind = region->kind <= KYMO_REGION_INSTANT ? region->kind : KYMO_REGION_ROOT;
	unsigned char *out = entry->fields;

	out = protobuf_uint(out, EVENT_CATEGORY_IIDS, kind + 1);
	out = protobuf_uint(out, EVENT_NAME_IID, iid);
	if (region_has_file(stream, region))
		out = perfetto_annotation(out, NOTE_FILE, ANNOTATION_STRING_IID, iid);
	if (stream->has_annotations && region->line)
		out = perfetto_annotation(out, NOTE_LINE, ANNOTATION_UINT, region->line);
	entry->size = (uint8_t)(out - entry->fields);
}

const struct perfetto_region *perfetto_region_intern(struct perfetto_stream *stream,
						     uint32_t region)
{
	const struct region *row = &stream->recording->regions[region];
	struct perfetto_region *entry = &stream->regions[region];
	unsigned char *content, *data, *out;
	char text[EXPORT_NAME_SIZE];

	if (entry->sequence == 0)
		region_encode(stream, row, region + 1, entry);
	entry->sequence = stream->sequence;
	out = packet_open(stream, stream->sequence, SEQUENCE_NEEDS_STATE, &content);
	data = out = protobuf_open(out, PACKET_INTERNED_DATA);
	region_title(row, text, sizeof(text));
	out = perfetto_interned(out, INTERNED_EVENT_NAMES, region + 1, text);
	if (region_has_file(stream, row)) {
		utf8_clean(row->file, text, sizeof(text));
		out = perfetto_interned(out, INTERNED_ANNOTATION_STRINGS, region + 1, text);
	}
	protobuf_close(data, out);
	packet_close(stream, content, out);
	return entry;
}

static void counter_begin(struct perfetto_stream *stream, uint32_t series, uint64_t uuid)
{
	const struct series *row = &stream->recording->series[series];
	uint64_t parent = row->thread < stream->recording->thread_count
				  ? track_uuid(stream->recording, TRACK_OF_THREAD, row->thread)
				  : stream->process_uuid;
	unsigned char *contents[2], *counter, *out;

	stream->series[series] = true;
	out = track_open(stream, PERFETTO_RUN_SEQUENCE, uuid, contents);
	out = protobuf_uint(out, TRACK_PARENT_UUID, parent);
	out = stream_put_text(out, TRACK_NAME, row->name);
	counter = out = protobuf_open(out, TRACK_COUNTER);
	if (row->unit && *row->unit)
		out = stream_put_text(out, COUNTER_UNIT_NAME, row->unit);
	protobuf_close(counter, out);
	track_close(stream, contents, out);
}

void perfetto_counter_put(struct perfetto_stream *stream, const struct kymo_point *point)
{
	uint64_t uuid = track_uuid(stream->recording, TRACK_OF_SERIES, point->series);
	unsigned char *content, *event, *out;

	if (!stream->series[point->series])
		counter_begin(stream, point->series, uuid);
	out = packet_open(stream, PERFETTO_RUN_SEQUENCE, SEQUENCE_NEEDS_STATE, &content);
	out = protobuf_uint(out, PACKET_TIMESTAMP,
			    recording_realtime_ns(stream->recording, point->ticks));
	event = out = protobuf_open(out, PACKET_TRACK_EVENT);
	out = protobuf_uint(out, EVENT_TYPE, EVENT_COUNTER);
	out = protobuf_uint(out, EVENT_TRACK_UUID, uuid);
	out = protobuf_double(out, EVENT_DOUBLE_COUNTER_VALUE, point->value);
	protobuf_close(event, out);
	packet_close(stream, content, out);
}

void perfetto_note_put(struct perfetto_stream *stream, const struct note *note)
{
	unsigned char *content, *event, *annotation, *out;

	out = packet_open(stream, PERFETTO_RUN_SEQUENCE, SEQUENCE_NEEDS_STATE, &content);
	out = protobuf_uint(out, PACKET_TIMESTAMP,
			    recording_realtime_ns(stream->recording, note->ticks));
	event = out = protobuf_open(out, PACKET_TRACK_EVENT);
	out = protobuf_uint(out, EVENT_TYPE, EVENT_INSTANT);
	out = protobuf_uint(out, EVENT_TRACK_UUID, stream->process_uuid);
	out = stream_put_text(out, EVENT_NAME, note->key);
	annotation = out = protobuf_open(out, EVENT_ANNOTATIONS);
	out = protobuf_uint(out, ANNOTATION_NAME_IID, NOTE_TEXT);
	out = stream_put_text(out, ANNOTATION_STRING, note->value);
	protobuf_close(annotation, out);
	protobuf_close(event, out);
	packet_close(stream, content, out);
}
