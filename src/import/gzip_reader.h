/* Decompression of gzip files.  Implemented with zlib (gzip_reader_zlib.c), and without it by an
 * error (gzip_reader_none.c). */
#ifndef KYMO_GZIP_READER_H
#define KYMO_GZIP_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Receives decompressed bytes; false stops: the receiver has the reason. */
typedef bool (*gzip_take_fn)(void *context, const void *data, size_t size);

bool gzip_is_packed(const void *data, size_t size);
/* All members, in order.  title is for the problem. */
enum kymo_status gzip_unpack(const void *data, size_t size, const char *title, gzip_take_fn take,
			     void *context, struct problem *problem);

#endif
