/* Plans without a cache: no home directory, one that is not writable, or a full one.  The
 * command that makes plans inherits memfds, which no other process can open, and writes into
 * them what the cache does not take. */
#include "collectors/functions/modules/funcpatch_memfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/functions/modules/funcpatch_found.h"
#include "platform/files/nocancel_io.h"

#define FIRST 3 /* above the standard streams, also if these are closed */

/* 0 = none. */
static int memfiles_open_one(void)
{
	int descriptor = (int)syscall(SYS_memfd_create, "kymo-plan", MFD_CLOEXEC), low;

	if (descriptor >= 0 && descriptor < FIRST) {
		low = descriptor;
		descriptor = fcntl(low, F_DUPFD_CLOEXEC, FIRST);
		plain_close(low);
	}
	if (descriptor < 0)
		return 0;
	if (fchmod(descriptor, S_IRUSR | S_IWUSR) == 0)
		return descriptor;
	plain_close(descriptor);
	return 0;
}

static void close_one(int *descriptor)
{
	if (*descriptor)
		plain_close(*descriptor);
	*descriptor = 0;
}

static void close_of(struct funcpatch_found *found)
{
	close_one(&found->plan_memfile);
	close_one(&found->choice_memfile);
}

void funcpatch_memfiles_open(struct funcpatch_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!found[i].is_missing)
			continue;
		found[i].plan_memfile = memfiles_open_one();
		found[i].choice_memfile = found[i].plan_memfile ? memfiles_open_one() : 0;
		if (!found[i].choice_memfile)
			close_of(&found[i]);
	}
}

void funcpatch_memfiles_close(struct funcpatch_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close_of(&found[i]);
}
