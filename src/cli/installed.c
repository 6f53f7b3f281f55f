/* Paths of the parts of Kymo, relative to the command's own file. */
#include "cli/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* The first existing one of the folders, relative to the command's own. */
static char *installed_find(const char *const *folders, size_t count, const char *name)
{
	char self[PATH_MAX], path[2 * PATH_MAX], *slash;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s%s", self, folders[i], name);
		if (access(path, R_OK) == 0)
			return realpath(path, NULL);
	}
	return NULL;
}

char *installed_library(const char *name)
{
	static const char *const folders[] = {"../lib/"};

	return installed_find(folders, COUNT_OF(folders), name);
}

char *installed_presets(void)
{
	static const char *const folders[] = {"../share/kymo/presets"};

	return installed_find(folders, COUNT_OF(folders), "");
}

char *installed_python(void)
{
	/* The build, a prefix, the Python package. */
	static const char *const folders[] = {"../python/kymo/_boot",
					      "../lib/kymo/python/kymo/_boot", "../_boot"};

	return installed_find(folders, COUNT_OF(folders), "");
}
