/* Gzip compression of bytes.  Implemented by page_pack_zlib.c, and without zlib by
 * page_pack_none.c, which does not compress. */
#ifndef KYMO_PAGE_PACK_H
#define KYMO_PAGE_PACK_H

#include <stdbool.h>
#include <stddef.h>

/* *packed_out is memory of command/xalloc.h; false: write the data uncompressed. */
bool page_pack(const void *data, size_t size, unsigned char **packed_out, size_t *size_out);

#endif
