/* A Perfetto trace being written: packet sequences, tracks and interned names.
 *
 * Every thread is a packet sequence of its own, complete before the next one begins, so only the
 * names of one recording's regions are kept.  Sequence 1 belongs to the run: its clock, processes,
 * counters and notes.  The stream borrows the sink and the recording.  One thread at a time. */
#ifndef KYMO_PERFETTO_STREAM_H
#define KYMO_PERFETTO_STREAM_H

#include "export/export_sink.h"
#include "export/formats/perfetto_packet.h"
#include "model/recording/run.h"

#define PERFETTO_RUN_SEQUENCE 1u

/* iids of the annotations' names, the same in every sequence. */
enum perfetto_note_name {
	NOTE_FILE = 1,
	NOTE_LINE,
	NOTE_LAST_INSTRUCTION,
	NOTE_ARGUMENT_COUNT,
	NOTE_LOCAL_COUNT,
	NOTE_STACK_SIZE,
	NOTE_GENERATOR,
	NOTE_UNWOUND,
	NOTE_UNFINISHED,
	NOTE_LOST_EVENTS,
	NOTE_TEXT,
	NOTE_COUNT
};

/* A region's part of a slice's begin: category, name, file and line, encoded. */
struct perfetto_region {
	uint32_t sequence; /* the last one with its names interned, 0 = not encoded yet */
	uint8_t size;
	unsigned char fields[2 * PERFETTO_ANNOTATION_MAX + 12];
};

struct perfetto_stream {
	struct export_sink *sink;
	uint64_t origin_ns; /* CLOCK_REALTIME; origin of the sequences' clocks */
	bool has_annotations;
	uint32_t sequence_count;
	/* Of the current recording. */
	const struct recording *recording;
	struct perfetto_region *regions;
	bool *series; /* per series: its track is declared */
	uint64_t process_uuid;
	/* Of the current sequence. */
	uint32_t sequence;
	uint64_t last_ns; /* the stamp of its last packet, since origin_ns */
	uint8_t head_size;
	unsigned char head[8]; /* sequence id and flags of each of its packets */
};

/* Begin the run's sequence: clocks, names. */
void perfetto_run_begin(struct perfetto_stream *stream);

/* A process with its track; resets the regions. */
void perfetto_process_begin(struct perfetto_stream *stream, const struct recording *recording);
void perfetto_process_end(struct perfetto_stream *stream);

/* Begin the sequence of a thread, with its track as the default of its events. */
void perfetto_thread_begin(struct perfetto_stream *stream, uint32_t thread);

/* Begin the sequence of a track of samples, whose number is unique within the process. */
void perfetto_samples_begin(struct perfetto_stream *stream, uint32_t number, const char *title);

/* A value of a series, and a note of the process, in the run's sequence. */
void perfetto_counter_put(struct perfetto_stream *stream, const struct kymo_point *point);
void perfetto_note_put(struct perfetto_stream *stream, const struct note *note);

/* The region's fields, its names interned in the current sequence. */
const struct perfetto_region *perfetto_region_intern(struct perfetto_stream *stream,
						     uint32_t region);

static inline const struct perfetto_region *perfetto_region_get(struct perfetto_stream *stream,
								uint32_t region)
{
	const struct perfetto_region *entry = &stream->regions[region];

	return __builtin_expect(entry->sequence == stream->sequence, 1)
		       ? entry
		       : perfetto_region_intern(stream, region);
}

#endif
