/* Moving descriptors away from the standard streams' numbers. */
#include "platform/files/abovestreams.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/keeperrno.h"

static void close_quietly(int descriptor)
{
	KEEP_ERRNO();

	close(descriptor);
}

int abovestreams(int descriptor)
{
	int moved;

	if (descriptor < 0 || descriptor > STDERR_FILENO)
		return descriptor;
	moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close_quietly(descriptor);
	return moved;
}
