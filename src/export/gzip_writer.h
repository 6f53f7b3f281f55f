/* Gzip compression in front of a sink.  Implemented with zlib (gzip_writer_zlib.c), and without it
 * by writing uncompressed data (gzip_writer_none.c), which readers of usually compressed formats
 * accept as well.  Errors are the sink's. */
#ifndef KYMO_GZIP_WRITER_H
#define KYMO_GZIP_WRITER_H

#include <stddef.h>

#include "export/export_sink.h"

struct gzip_writer {
	struct export_sink *sink;
	void *state;
};

/* KYMO_OK or KYMO_MEMORY; end it only after KYMO_OK. */
enum kymo_status gzip_begin(struct gzip_writer *writer, struct export_sink *sink);
void gzip_write(struct gzip_writer *writer, const void *data, size_t size);
void gzip_end(struct gzip_writer *writer);

#endif
