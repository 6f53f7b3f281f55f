/* Compression, by zlib.  Serves late.h. */
#include "platform/late/late.h"

#include <zlib.h>

static struct late_library library = {
	.file = LATE_ZLIB,
	.package = "zlib1g",
	.without = "nothing is compressed, and no compressed file is read"};

LATE_FUNCTION(&library, int, deflate, (z_streamp strm, int flush), (strm, flush), Z_VERSION_ERROR)

LATE_FUNCTION(&library, uLong, deflateBound, (z_streamp strm, uLong sourceLen), (strm, sourceLen),
	      0)

LATE_FUNCTION(&library, int, deflateEnd, (z_streamp strm), (strm), Z_VERSION_ERROR)

LATE_FUNCTION(&library, int, deflateInit2_,
	      (z_streamp strm, int level, int method, int windowBits, int memLevel, int strategy,
	       const char *version, int stream_size),
	      (strm, level, method, windowBits, memLevel, strategy, version, stream_size),
	      Z_VERSION_ERROR)

LATE_FUNCTION(&library, int, inflate, (z_streamp strm, int flush), (strm, flush), Z_VERSION_ERROR)

LATE_FUNCTION(&library, int, inflateEnd, (z_streamp strm), (strm), Z_VERSION_ERROR)

LATE_FUNCTION(&library, int, inflateInit2_,
	      (z_streamp strm, int windowBits, const char *version, int stream_size),
	      (strm, windowBits, version, stream_size), Z_VERSION_ERROR)

LATE_FUNCTION(&library, int, inflateReset, (z_streamp strm), (strm), Z_VERSION_ERROR)
