/* Compression by zlib.  The time in the header stays 0: the same run gives the same file. */
#include "export/gzip_writer.h"

#include <stdlib.h>
#include <zlib.h>

#define WINDOW_GZIP  (15 + 16) /* the largest window, with a header of gzip's */
#define MEMORY_LEVEL 8

enum kymo_status gzip_begin(struct gzip_writer *writer, struct export_sink *sink)
{
	z_stream *stream = calloc(1, sizeof(*stream));
	int result = !stream ? Z_MEM_ERROR
			     : deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP,
					    MEMORY_LEVEL, Z_DEFAULT_STRATEGY);

	if (result != Z_OK) {
		free(stream);
		stream = NULL;
	}
	*writer = (struct gzip_writer){sink, stream};
	/* The library is missing: do not compress. */
	return result == Z_OK || result == Z_VERSION_ERROR ? KYMO_OK : KYMO_MEMORY;
}

static void zlib_run(struct gzip_writer *writer, const void *data, size_t size, int flush)
{
	z_stream *stream = writer->state;

	stream->next_in = (z_const Bytef *)data;
	stream->avail_in = (uInt)size;
	do {
		unsigned char *out = sink_reserve(writer->sink, SINK_RESERVE_MAX);

		stream->next_out = out;
		stream->avail_out = SINK_RESERVE_MAX;
		deflate(stream, flush);
		sink_fill(writer->sink, stream->next_out);
	} while (stream->avail_out == 0);
}

void gzip_write(struct gzip_writer *writer, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	if (!writer->state) {
		sink_write(writer->sink, data, size);
		return;
	}
	while (size > 0) {
		size_t part = size < SINK_RESERVE_MAX ? size : SINK_RESERVE_MAX;

		zlib_run(writer, bytes, part, Z_NO_FLUSH);
		bytes += part;
		size -= part;
	}
}

void gzip_end(struct gzip_writer *writer)
{
	if (!writer->state)
		return;
	zlib_run(writer, NULL, 0, Z_FINISH);
	deflateEnd(writer->state);
	free(writer->state);
}
