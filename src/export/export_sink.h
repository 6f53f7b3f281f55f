/* The output of an exporter: a large buffer in front of a file or standard output.
 *
 * A file appears under its name only when it is complete.  The first failed write is remembered and
 * reported by sink_close(); later output is discarded, so writers need no checks, except
 * sink_has_failed() now and then to stop early. If the reader of standard output closes the pipe,
 * that is no failure. The opener owns the sink.  One thread at a time. */
#ifndef KYMO_EXPORT_SINK_H
#define KYMO_EXPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/outfile.h"

/* The maximum size for one sink_reserve(). */
#define SINK_RESERVE_MAX 65536u

struct export_sink {
	unsigned char *next;  /* first free byte of the buffer */
	unsigned char *limit; /* end of the buffer */
	unsigned char *buffer;
	uint64_t flushed; /* bytes written before those in the buffer */
	struct outfile file;
	int fd;
	int error; /* errno of the first failed write, 0 = none */
	uint64_t most_bytes;
	bool is_over; /* the limit was exceeded: the error is EFBIG */
};

/* path NULL or "-" = standard output, which must not be a terminal when is_binary. */
enum kymo_status sink_open(const char *path, bool is_binary, struct export_sink **out,
			   struct problem *problem);

/* Limit the size: a larger file fails with KYMO_LIMIT in sink_close(); no effect unless a new file
 * is written. */
void sink_bound(struct export_sink *sink, uint64_t most_bytes);

/* Write the rest, give the file its name, free the sink.  Reports the first failure since opening;
 * an existing file of that name is then unchanged. */
enum kymo_status sink_close(struct export_sink *sink, uint64_t *bytes_out, struct problem *problem);

/* Free the sink and remove what was written, as far as possible. */
void sink_abandon(struct export_sink *sink);

/* Empty the buffer. */
void sink_flush(struct export_sink *sink);

/* Data of any length. */
void sink_write(struct export_sink *sink, const void *data, size_t size);

/* Formatted text; cut after SINK_RESERVE_MAX bytes. */
void sink_format(struct export_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* text as a JSON string with its quotes; cut after SINK_RESERVE_MAX bytes. */
void sink_json(struct export_sink *sink, const char *text);

/* A writable buffer of size <= SINK_RESERVE_MAX bytes; never NULL.  After filling it, pass the end
 * of the content to sink_fill(). */
static inline unsigned char *sink_reserve(struct export_sink *sink, size_t size)
{
	if (__builtin_expect((size_t)(sink->limit - sink->next) < size, 0))
		sink_flush(sink);
	return sink->next;
}

static inline void sink_fill(struct export_sink *sink, unsigned char *end)
{
	sink->next = end;
}

static inline void sink_byte(struct export_sink *sink, char byte)
{
	*sink_reserve(sink, 1) = (unsigned char)byte;
	sink->next++;
}

static inline void sink_text(struct export_sink *sink, const char *text)
{
	sink_write(sink, text, strlen(text));
}

static inline bool sink_has_failed(const struct export_sink *sink)
{
	return sink->error != 0;
}

/* Bytes written so far, including buffered ones. */
static inline uint64_t sink_bytes(const struct export_sink *sink)
{
	return sink->flushed + (uint64_t)(sink->next - sink->buffer);
}

#endif
