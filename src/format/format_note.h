/* Series of values, notes, and the numbers of metrics. */
#ifndef KYMO_FORMAT_NOTE_H
#define KYMO_FORMAT_NOTE_H

#include <stdint.h>

struct kymo_series { /* SERIES payload; id = chunk.base + index */
	uint64_t name;
	uint64_t unit;
	uint32_t thread; /* or KYMO_NO_THREAD */
	uint32_t reserved[3];
};

struct kymo_point { /* POINTS payload */
	uint64_t ticks;
	uint32_t series;
	uint32_t reserved;
	double value;
};

enum kymo_note_kind {
	KYMO_NOTE_INFO = 1,    /* key = what, value = text: command, executable, host … */
	KYMO_NOTE_SETTING = 2, /* key = name, value = value used */
	KYMO_NOTE_ENVIRONMENT = 3,
	KYMO_NOTE_MODULE = 4,  /* key = path, value = build id */
	KYMO_NOTE_WARNING = 5, /* the data is suspect: key = area, value = one sentence */
	KYMO_NOTE_LOSS = 6,    /* something was not recorded: likewise */
	/* The meaning of a metric from KYMO_METRIC_NAMED on: key = its value in header.metrics,
	 * decimal; value = name, unit and description, a line each. */
	KYMO_NOTE_METRIC = 7,
	/* MERGED: a note not all processes had: key = its key, value = its kind, the number of
	 * those that had it, and its text, separated by blanks; see docs/format.md. */
	KYMO_NOTE_VARIES = 8,
};

struct kymo_note {     /* NOTES payload, 8-byte aligned */
	uint32_t size; /* of the whole record, a multiple of 8 */
	uint16_t kind;
	uint16_t key_length;
	uint64_t ticks;
	char text[]; /* key, NUL, value, NUL, padding */
};

/* Numbers are pinned.  Their names: metric.h. */
enum kymo_metric {
#define METRIC(number, id, name, unit, sums, thread, text) KYMO_METRIC_##id = (number),
#include "format/metrics.def"
#undef METRIC
	KYMO_METRIC_COUNT
};

/* Metrics from here on are defined by notes of the recording: counters, which each recorded
 * program selects among more than could be listed here. */
#define KYMO_METRIC_NAMED 256u

#endif
