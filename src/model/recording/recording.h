/* One recording, opened for reading: its tables with every reference checked.
 *
 * The file is mapped read-only and may be truncated, corrupted or still being written; invalid data
 * is left out and reported in problems, never followed.  Strings and arrays belong to the recording
 * and live until recording_free().  Not thread-safe. */
#ifndef KYMO_RECORDING_H
#define KYMO_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/format.h"
#include "model/recording/recording_rows.h"

struct chunk_index;
struct functions;

struct recording {
	char *path;
	struct kymo_header header; /* a copy, already made consistent */
	const unsigned char *data; /* the mapping */
	uint64_t size;		   /* bytes of data that may be read */
	struct region *regions;
	uint32_t region_count;
	size_t region_capacity;
	struct thread *threads;
	uint32_t thread_count;
	struct note *notes;
	size_t note_count;
	struct series *series;
	size_t series_count;
	struct module *modules; /* in the order they were seen */
	size_t module_count;
	struct recording_part *parts; /* of a merged recording */
	uint32_t part_count;
	struct functions *functions; /* the instrumented ones; NULL = none */
	char **texts;		     /* made by the reader, replacing texts of the file */
	size_t text_count;
	uint64_t end_ticks; /* closing time, or the latest time found */
	bool is_closed;	    /* closed properly */
	char **problems;    /* one line each: what is wrong and what was left out */
	size_t problem_count;
	struct chunk_index *chunks; /* the reader's own: the index of chunks */
	bool is_mapped;		    /* likewise: data must be unmapped */
	bool is_raw;		    /* times include measuring */
	bool has_each_call;	    /* one node per call, if calls were recorded */
	bool is_own;		    /* only its user and root can have written the file */
};

/* Ticks to nanoseconds since the recording's start, or of CLOCK_MONOTONIC or
 * CLOCK_REALTIME: linear between the calibration pairs, never decreasing. */
int64_t recording_ns(const struct recording *recording, uint64_t ticks);
/* How long a thread lived: to the end of the recording if its own end is not known. */
uint64_t recording_thread_ns(const struct recording *recording, uint32_t number);
uint64_t recording_monotonic_ns(const struct recording *recording, uint64_t ticks);
uint64_t recording_realtime_ns(const struct recording *recording, uint64_t ticks);
/* Nanoseconds per tick, for durations. */
double recording_tick_ns(const struct recording *recording);

/* The string at a reference as the file has it; NULL for 0 and for an invalid reference. */
const char *recording_string(const struct recording *recording, uint64_t reference);
/* Likewise for arbitrary bytes. */
const unsigned char *recording_bytes(const struct recording *recording, uint64_t reference,
				     uint32_t *size_out);

/* Add a region of the reader's own; its texts must live as long as the recording.  Invalidates
 * pointers to regions, as rows have them.  Its id; 0 = no memory. */
uint32_t recording_add_region(struct recording *recording, const struct region *region);
/* A copy of text that lives as long as the recording; NULL = no memory. */
const char *recording_keep(struct recording *recording, const char *text);

/* Key of the note (KYMO_NOTE_INFO) of a recording made from others'. */
#define RECORDING_OTHERS_NOTE "made of others' recordings"

#endif
