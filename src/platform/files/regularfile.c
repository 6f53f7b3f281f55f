/* A descriptor with O_PATH provides the file's type, and opens the same file again through
 * /proc, whatever has its name by then. */
#include "platform/files/regularfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int regularfile_open(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), file = -1, error;
	struct stat status;
	char name[64];

	if (place < 0)
		return -1;
	if (fstat(place, &status) == 0) {
		errno = EINVAL;
		if (S_ISREG(status.st_mode)) {
			snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
			file = open(name, FLAGS);
			if (file < 0 && errno == ENOENT) /* there is no /proc */
				file = open(path, FLAGS);
		}
	}
	error = errno;
	close(place);
	errno = error;
	return file;
}

bool regularfile_read(int fd, void *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, (char *)to + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}
