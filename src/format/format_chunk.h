/* Chunks, which everything behind the header page lies in, and strings. */
#ifndef KYMO_FORMAT_CHUNK_H
#define KYMO_FORMAT_CHUNK_H

#include <stdint.h>

#include "format/format_header.h"

enum kymo_chunk_type {
	KYMO_CHUNK_STRINGS = 1,
	KYMO_CHUNK_REGIONS = 2,
	KYMO_CHUNK_THREADS = 3,
	KYMO_CHUNK_NODES = 4,
	KYMO_CHUNK_EVENTS = 5,
	KYMO_CHUNK_SERIES = 6,
	KYMO_CHUNK_POINTS = 7,
	KYMO_CHUNK_NOTES = 8,
	KYMO_CHUNK_MODULES = 9,
	KYMO_CHUNK_CODES = 10,	   /* Python code objects that samples refer to */
	KYMO_CHUNK_STACKS = 11,	   /* of one thread: the sampled stacks */
	KYMO_CHUNK_SAMPLES = 12,   /* of one thread: when which stack was seen */
	KYMO_CHUNK_PARTS = 13,	   /* who took part in a merged recording */
	KYMO_CHUNK_SHARES = 14,	   /* how much each had of which region */
	KYMO_CHUNK_FUNCTIONS = 15, /* of one module: what ids of instrumented functions mean */
	KYMO_CHUNK_FUNCTION_EVENTS =
		16, /* of one thread: their enters and exits, as trampolines write */
	KYMO_CHUNK_COUNTDOWNS =
		17,		 /* of one thread: how many calls of each come before it is timed */
	KYMO_CHUNK_TIMED = 18,	 /* of one thread: functions with calls that were timed */
	KYMO_CHUNK_CALLERS = 19, /* of one thread: and where those calls came from */
	KYMO_CHUNK_SWITCH = 20, /* a page that instrumented functions look at: struct kymo_switch */
	KYMO_CHUNK_THROTTLED =
		21, /* of one thread: calls of functions that were only counted later on */
	KYMO_CHUNK_TOTALS =
		22, /* of regions and their callers, where call paths do not tell them */
	KYMO_CHUNK_ESTIMATES = 23, /* how far off these may be, in a merged recording */
	KYMO_CHUNK_WORK = 24,	   /* of shares that are not all work, how much is */
	KYMO_CHUNK_TYPES,
};

struct kymo_chunk {
	uint32_t magic;
	uint16_t type;	      /* enum kymo_chunk_type; unknown types are skipped */
	uint16_t flags;	      /* FUNCTION_EVENTS: KYMO_FUNCTION_EVENTS_*; else 0 */
	uint64_t size;	      /* with this header; a multiple of KYMO_CHUNK_ALIGN */
	uint64_t used;	      /* payload bytes complete; release store.  EVENTS: see below */
	uint32_t thread;      /* owner, or KYMO_NO_THREAD */
	uint32_t record_size; /* bytes a record, 0 = variable */
	uint64_t base; /* EVENTS: ticks the deltas count from.  Tables: id of the first record */
	uint64_t sequence; /* order of chunks of one owner and type */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_chunk) == 64, "a chunk header is one cache line");

/* SWITCH: the second page of the chunk, which every instrumented function of the process looks
 * at.  Whoever changes the gate, or is_shut, brings is_off up to date (gateword.h). */
struct kymo_switch {
	uint8_t is_off;	 /* the gate is off, or is_shut */
	uint8_t is_shut; /* by the process itself, for other reasons than the gate */
};
#define KYMO_SWITCH_BYTES KYMO_CHUNK_ALIGN

/* STRINGS payload: records of 8-byte alignment; a reference is the file offset of one. */
struct kymo_string {
	uint32_t length; /* bytes without the closing NUL */
	char text[];	 /* UTF-8, surrogates passed through; NUL; padding */
};

#endif
