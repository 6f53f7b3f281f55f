/* Perfetto's trace packets: the field numbers of its public definitions that Kymo uses, and the few
 * shapes that are written for every event.
 *
 * Field numbers: the messages TracePacket, TracePacketDefaults, ClockSnapshot, InternedData,
 * TrackDescriptor, TrackEvent and DebugAnnotation.  All functions write at out and return the
 * end. */
#ifndef KYMO_PERFETTO_PACKET_H
#define KYMO_PERFETTO_PACKET_H

#include "export/formats/protobuf.h"

enum { TRACE_PACKET = 1 };

enum perfetto_trace_packet {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};

enum perfetto_sequence_flags {
	SEQUENCE_STATE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,
};

enum perfetto_defaults {
	DEFAULTS_TRACK_EVENT = 11,
	DEFAULTS_CLOCK_ID = 58,
	TRACK_DEFAULTS_TRACK_UUID = 11,
};

enum perfetto_clock_snapshot {
	CLOCK_SNAPSHOT_CLOCKS = 1,
	CLOCK_SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_INCREMENTAL = 3,
};

enum perfetto_clock {
	CLOCK_REALTIME_ID = 1,
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_SEQUENCE_ID = 64, /* Kymo's own: of one sequence, each stamp relative to the last */
};

enum perfetto_interned_data {
	INTERNED_CATEGORIES = 1,
	INTERNED_EVENT_NAMES = 2,
	INTERNED_ANNOTATION_NAMES = 3,
	INTERNED_ANNOTATION_STRINGS = 29,
	INTERNED_IID = 1, /* of each entry of any kind */
	INTERNED_TEXT = 2,
};

enum perfetto_track_descriptor {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT_NAME = 6,
};

enum perfetto_track_event {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_NAME = 23,
	EVENT_DOUBLE_COUNTER_VALUE = 44,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48,
};

enum perfetto_event_type {
	EVENT_SLICE_BEGIN = 1,
	EVENT_SLICE_END = 2,
	EVENT_INSTANT = 3,
	EVENT_COUNTER = 4,
};

enum perfetto_annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL = 2,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
	ANNOTATION_STRING_IID = 17,
};

/* An annotation of an event whose value is a number of the given field: a boolean, an integer or
 * the iid of an interned text. */
#define PERFETTO_ANNOTATION_MAX 18
static inline unsigned char *perfetto_annotation(unsigned char *out, uint32_t name_iid,
						 enum perfetto_annotation field, uint64_t value)
{
	unsigned char *length_at;

	out = protobuf_tag(out, EVENT_ANNOTATIONS, PROTOBUF_BYTES);
	length_at = out++;
	out = protobuf_uint(out, ANNOTATION_NAME_IID, name_iid);
	out = protobuf_uint(out, field, value);
	*length_at = (unsigned char)(out - length_at - 1);
	return out;
}

/* An entry of interned data. */
static inline unsigned char *perfetto_interned(unsigned char *out, enum perfetto_interned_data kind,
					       uint64_t iid, const char *text)
{
	unsigned char *content = out = protobuf_open(out, kind);

	out = protobuf_uint(out, INTERNED_IID, iid);
	out = protobuf_string(out, INTERNED_TEXT, text);
	protobuf_close(content, out);
	return out;
}

#endif
