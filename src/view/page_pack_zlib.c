/* Compressed by zlib, in one piece. */
#include "view/page_pack.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "command/xalloc.h"

#define LEVEL	  4  /* half the time of the default for a tenth more bytes */
#define GZIP_BITS 31 /* the largest window, with gzip's header and trailer */

bool page_pack(const void *data, size_t size, unsigned char **packed_out, size_t *size_out)
{
	z_stream stream = {0};
	unsigned char *packed;
	uLong limit;
	bool is_done;

	if (size > UINT_MAX / 2 ||
	    deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	limit = deflateBound(&stream, (uLong)size);
	packed = xmalloc(limit);
	stream.next_in = (z_const Bytef *)data;
	stream.avail_in = (uInt)size;
	stream.next_out = packed;
	stream.avail_out = (uInt)limit;
	is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
	*size_out = stream.total_out;
	deflateEnd(&stream);
	if (!is_done) {
		xfree(packed);
		return false;
	}
	*packed_out = packed;
	return true;
}
