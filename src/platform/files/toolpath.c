/* The command is found by its path relative to the libraries: no directory name is built in, so
 * that a tree can be moved. */
#include "platform/files/toolpath.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Build and installed trees, then the Python package. */
static const char *const places[] = {"../bin/kymo", "bin/kymo", "../../bin/kymo",
				     "../../../bin/kymo"};

bool toolpath_find(const char *library, char *path, size_t size)
{
	const char *slash = strrchr(library, '/');
	size_t folder = slash ? (size_t)(slash - library) + 1 : 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && folder; i++) {
		size_t length = strlen(places[i]);

		if (folder + length >= size)
			return false;
		memcpy(path, library, folder);
		memcpy(path + folder, places[i], length + 1);
		if (syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
			return true;
	}
	return false;
}
