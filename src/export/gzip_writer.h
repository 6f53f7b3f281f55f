/* Bytes on their way to a sink, compressed as gzip does.  One header, two answers: with zlib
 * (gzip_writer_zlib.c), and without it uncompressed (gzip_writer_none.c), which readers of
 * formats that are compressed as a rule take as well.  Errors are the sink's. */
#ifndef KYMO_GZIP_WRITER_H
#define KYMO_GZIP_WRITER_H

#include <stddef.h>

#include "export/export_sink.h"

struct gzip_writer {
	struct export_sink *sink;
	void *state;
};

/* KYMO_OK or KYMO_MEMORY; to be ended only after KYMO_OK. */
enum kymo_status gzip_begin(struct gzip_writer *writer, struct export_sink *sink);
void gzip_write(struct gzip_writer *writer, const void *data, size_t size);
void gzip_end(struct gzip_writer *writer);

#endif
