/* Decompression by zlib.  Files may have several members, if they were appended to. */
#include "import/gzip_reader.h"

#include <stdlib.h>
#include <zlib.h>

#define WINDOW_GZIP (15 + 16) /* the largest window, with a header of gzip's */
#define BLOCK	    65536u
#define INPUT_MAX   (1u << 30) /* zlib counts with 32 bits */

struct unpacking {
	z_stream stream;
	const unsigned char *data;
	size_t size, used;
	gzip_take_fn take;
	void *context;
};

bool gzip_is_packed(const void *data, size_t size)
{
	const unsigned char *byte = data;

	return size >= 3 && byte[0] == 0x1f && byte[1] == 0x8b && byte[2] == Z_DEFLATED;
}

/* One call of zlib; returns its result.  false in *taken_out: the receiver stopped. */
static int zlib_step(struct unpacking *unpacking, bool *taken_out)
{
	unsigned char block[BLOCK];
	z_stream *stream = &unpacking->stream;
	size_t rest = unpacking->size - unpacking->used;
	uInt given = (uInt)(rest < INPUT_MAX ? rest : INPUT_MAX);
	int result;

	stream->next_in = (z_const Bytef *)(unpacking->data + unpacking->used);
	stream->avail_in = given;
	stream->next_out = block;
	stream->avail_out = BLOCK;
	result = inflate(stream, Z_NO_FLUSH);
	unpacking->used += given - stream->avail_in;
	*taken_out = unpacking->take(unpacking->context, block, BLOCK - stream->avail_out);
	return result;
}

/* Z_STREAM_END: all of it was read, or the receiver stopped. */
static int zlib_unpack(struct unpacking *unpacking)
{
	for (;;) {
		bool is_taken;
		int result = zlib_step(unpacking, &is_taken);

		if (!is_taken)
			return Z_STREAM_END;
		if (result == Z_STREAM_END) {
			/* Anything else after a member is padding, as in gzip. */
			if (!gzip_is_packed(unpacking->data + unpacking->used,
					    unpacking->size - unpacking->used))
				return Z_STREAM_END;
			inflateReset(&unpacking->stream);
		} else if (result != Z_OK) {
			return result;
		}
	}
}

enum kymo_status gzip_unpack(const void *data, size_t size, const char *title, gzip_take_fn take,
			     void *context, struct problem *problem)
{
	struct unpacking unpacking = {.data = data, .size = size, .take = take, .context = context};
	int result = inflateInit2(&unpacking.stream, WINDOW_GZIP);

	if (result == Z_OK) {
		result = zlib_unpack(&unpacking);
		inflateEnd(&unpacking.stream);
	}
	if (result == Z_STREAM_END)
		return KYMO_OK;
	if (result == Z_VERSION_ERROR)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "'%s' is compressed, which takes zlib; gunzip it first", title);
	if (result == Z_MEM_ERROR)
		return problem_set(problem, KYMO_MEMORY, "no memory to unpack '%s'", title);
	return problem_set(problem, KYMO_FORMAT, "'%s' cannot be unpacked: %s at byte %zu", title,
			   result == Z_BUF_ERROR ? "gzip's data ends" : "gzip's data is damaged",
			   unpacking.used);
}
