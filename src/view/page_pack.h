/* Bytes in the form of gzip.  One header, two answers: page_pack_zlib.c, and without zlib
 * page_pack_none.c, which leaves them as they are. */
#ifndef KYMO_PAGE_PACK_H
#define KYMO_PAGE_PACK_H

#include <stdbool.h>
#include <stddef.h>

/* *packed_out is memory of command/xalloc.h; false: it is to be written as it is. */
bool page_pack(const void *data, size_t size, unsigned char **packed_out, size_t *size_out);

#endif
