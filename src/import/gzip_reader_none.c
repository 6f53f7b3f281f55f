/* Used if zlib was missing when Kymo was built: compressed files are recognized, and refused. */
#include "import/gzip_reader.h"

bool gzip_is_packed(const void *data, size_t size)
{
	const unsigned char *byte = data;

	return size >= 3 && byte[0] == 0x1f && byte[1] == 0x8b && byte[2] == 8;
}

enum kymo_status gzip_unpack(const void *data, size_t size, const char *title, gzip_take_fn take,
			     void *context, struct problem *problem)
{
	(void)data;
	(void)size;
	(void)take;
	(void)context;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "'%s' is compressed, which this build cannot read: it was built without "
			   "zlib; gunzip it first",
			   title);
}
