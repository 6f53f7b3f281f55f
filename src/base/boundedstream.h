/* A stream of limited size: it counts what is written, passes it on to another stream, and fails
 * beyond the limit, so that ferror() tells a writer to stop early.
 *
 * The owner decides whether to keep the output.  One thread; uses malloc.
 * Context: init. */
#ifndef KYMO_BOUNDEDSTREAM_H
#define KYMO_BOUNDEDSTREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct boundedstream {
	FILE *stream; /* write here */
	FILE *to;     /* borrowed; NULL = only count */
	uint64_t bytes, most_bytes;
	bool is_over; /* something did not fit; whole after boundedstream_close() */
};

/* False when out of memory. */
bool boundedstream_open(struct boundedstream *bounded, FILE *to, uint64_t most_bytes);

/* Hands on what is left; to stays open.  False when something did not fit or could not be
 * written, the latter shows in ferror(to), too. */
bool boundedstream_close(struct boundedstream *bounded);

#endif
