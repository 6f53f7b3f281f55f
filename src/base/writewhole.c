/* Complete writes. */
#include "base/writewhole.h"

#include <errno.h>
#include <unistd.h>

bool write_whole(int fd, const void *bytes, size_t size)
{
	const char *next = bytes;

	while (size > 0) {
		ssize_t written = write(fd, next, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written == 0)
			errno = ENOSPC;
		if (written <= 0)
			return false;
		next += written;
		size -= (size_t)written;
	}
	return true;
}
