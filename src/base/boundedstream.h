/* A stream of limited size: it counts what is written, passes it on to another stream, and fails
 * beyond the limit, so that a writer can stop early by ferror().
 *
 * The owner decides whether to keep the output.  One thread; uses malloc.  Context: init. */
#ifndef KYMO_BOUNDEDSTREAM_H
#define KYMO_BOUNDEDSTREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct boundedstream {
	FILE *stream; /* write here */
	FILE *to;     /* the caller's; NULL = only count */
	uint64_t bytes, most_bytes;
	bool is_over; /* something did not fit; final after boundedstream_close() */
};

/* False if out of memory. */
bool boundedstream_open(struct boundedstream *bounded, FILE *to, uint64_t most_bytes);

/* Flushes the rest; to stays open.  False if something did not fit or could not be written, the
 * latter also sets ferror(to). */
bool boundedstream_close(struct boundedstream *bounded);

#endif
