/* Where an exporter's bytes go: a large buffer in front of a file or standard output.
 *
 * A file appears under its name when it is complete and not before.  The first failing
 * write is remembered and reported by sink_close(); what follows it is discarded, so
 * writers need no checks, only a look at sink_has_failed() now and then to stop early.
 * Whoever reads standard output may go away when it has seen enough: that is no failure.
 * The opener owns the sink.  One thread at a time. */
#ifndef KYMO_EXPORT_SINK_H
#define KYMO_EXPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/outfile.h"

/* The most that may be asked of sink_reserve() at once. */
#define SINK_RESERVE_MAX 65536u

struct export_sink {
	unsigned char *next;  /* first free byte of the buffer */
	unsigned char *limit; /* end of the buffer */
	unsigned char *buffer;
	uint64_t flushed; /* bytes handed on before those in the buffer */
	struct outfile file;
	int fd;
	int error; /* errno of the first failed write, 0 = none */
	uint64_t most_bytes;
	bool is_over; /* more than that was written: the error is EFBIG */
};

/* path NULL or "-" = standard output, which must not be a terminal when is_binary. */
enum kymo_status sink_open(const char *path, bool is_binary, struct export_sink **out,
			   struct problem *problem);

/* What is larger fails, sink_close() with KYMO_LIMIT; where a new file is written, else without
 * effect. */
void sink_bound(struct export_sink *sink, uint64_t most_bytes);

/* Write what is left, give the file its name, free the sink.  Reports the first failure
 * since opening; the file under its final name is then as it was. */
enum kymo_status sink_close(struct export_sink *sink, uint64_t *bytes_out, struct problem *problem);

/* Free the sink and remove what was written, as far as that can be. */
void sink_abandon(struct export_sink *sink);

/* Empty the buffer. */
void sink_flush(struct export_sink *sink);

/* Data of any length. */
void sink_write(struct export_sink *sink, const void *data, size_t size);

/* Formatted text; what is beyond SINK_RESERVE_MAX bytes is cut. */
void sink_format(struct export_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* text as a JSON string with its quotes; what is beyond SINK_RESERVE_MAX bytes is cut. */
void sink_json(struct export_sink *sink, const char *text);

/* A writable piece of size <= SINK_RESERVE_MAX bytes; never NULL.  Whoever fills it says
 * where the content ends with sink_fill(). */
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

/* Bytes written so far, the buffered ones included. */
static inline uint64_t sink_bytes(const struct export_sink *sink)
{
	return sink->flushed + (uint64_t)(sink->next - sink->buffer);
}

#endif
