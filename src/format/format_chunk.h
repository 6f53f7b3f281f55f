/* Chunks, which contain everything after the header page, and strings. */
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
	KYMO_CHUNK_PARTS = 13,	   /* the threads of a merged recording */
	KYMO_CHUNK_SHARES = 14,	   /* the part of each in each region */
	KYMO_CHUNK_FUNCTIONS = 15, /* of one module: the functions that ids refer to */
	KYMO_CHUNK_FUNCTION_EVENTS =
		16, /* of one thread: their enters and exits, as written by trampolines */
	KYMO_CHUNK_COUNTDOWNS =
		17, /* of one thread: number of calls of each before the next timed one */
	KYMO_CHUNK_TIMED = 18,	   /* of one thread: functions with timed calls */
	KYMO_CHUNK_CALLERS = 19,   /* of one thread: and the callers of those calls */
	KYMO_CHUNK_SWITCH = 20,	   /* a page that instrumented functions test: struct kymo_switch */
	KYMO_CHUNK_THROTTLED = 21, /* of one thread: calls of functions that were throttled */
	KYMO_CHUNK_TOTALS =
		22, /* of regions and their callers, if they differ from those of call paths */
	KYMO_CHUNK_ESTIMATES = 23, /* the errors of estimates in a merged recording */
	KYMO_CHUNK_WORK = 24,	   /* of shares that include waiting, the part that is work */
	KYMO_CHUNK_TYPES,
};

struct kymo_chunk {
	uint32_t magic;
	uint16_t type;	      /* enum kymo_chunk_type; unknown types are skipped */
	uint16_t flags;	      /* FUNCTION_EVENTS: KYMO_FUNCTION_EVENTS_*; else 0 */
	uint64_t size;	      /* including this header; a multiple of KYMO_CHUNK_ALIGN */
	uint64_t used;	      /* bytes of complete payload; release store.  EVENTS: see below */
	uint32_t thread;      /* owner, or KYMO_NO_THREAD */
	uint32_t record_size; /* bytes per record, 0 = variable */
	uint64_t base; /* EVENTS: ticks that deltas are relative to.  Tables: id of the first record
			*/
	uint64_t sequence; /* order of chunks of one owner and type */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_chunk) == 64, "a chunk header is one cache line");

/* SWITCH: the second page of the chunk, which every instrumented function of the process tests.
 * Whoever changes the gate, or is_shut, updates is_off (gateword.h). */
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
