/* A stream that counts and has a limit, on top of another one.  Its buffer is large: every flush
 * of it is a call through the C library's cookie. */
#include "base/boundedstream.h"

#include <errno.h>

#define BUFFER_BYTES 65536

static ssize_t bounded_pass_on(void *cookie, const char *data, size_t size)
{
	struct boundedstream *bounded = cookie;

	if (bounded->is_over || size > bounded->most_bytes - bounded->bytes) {
		bounded->is_over = true;
		errno = EFBIG;
		return 0;
	}
	if (bounded->to && fwrite(data, 1, size, bounded->to) != size)
		return 0;
	bounded->bytes += size;
	return (ssize_t)size;
}

bool boundedstream_open(struct boundedstream *bounded, FILE *to, uint64_t most_bytes)
{
	const cookie_io_functions_t functions = {.write = bounded_pass_on};

	*bounded = (struct boundedstream){.to = to, .most_bytes = most_bytes};
	bounded->stream = fopencookie(bounded, "w", functions);
	if (!bounded->stream)
		return false;
	setvbuf(bounded->stream, NULL, _IOFBF, BUFFER_BYTES);
	return true;
}

bool boundedstream_close(struct boundedstream *bounded)
{
	bool has_failed = ferror(bounded->stream);

	return fclose(bounded->stream) == 0 && !has_failed && !bounded->is_over;
}
