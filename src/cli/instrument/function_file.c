/* What libraries are by their names. */
#include "cli/instrument/function_file.h"

#include <stddef.h>
#include <string.h>

#include "config/settings.h"

/* Libraries that are there for every program and rarely meant: the C library's, the compilers',
 * and Kymo's own, which are never taken. */
static const char *const internal[] = {
	"libc",
	"libm",
	"libmvec",
	"libpthread",
	"libdl",
	"librt",
	"libutil",
	"libresolv",
	"libnsl",
	"libanl",
	"libcrypt",
	"libthread_db",
	"libnss_",
	"ld-linux",
	"ld",
	"linux-vdso",
	"libgcc_s",
	"libstdc++",
	"libc++",
	"libc++abi",
	"libunwind",
	"libatomic",
	"libgfortran",
	"libquadmath",
	"libasan",
	"libtsan",
	"libubsan",
	"liblsan",
	"libsupc++",
	"libSegFault",
	"libBrokenLocale",
	"libmemusage",
	"libpcprofile",
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc" is "libc.so.6" and "libc-2.31.so"; "libnss_" begins names. */
static bool is_library(const char *name, const char *wanted, size_t length)
{
	const char *end = name + length;

	if (length == 0 || strncmp(name, wanted, length) != 0)
		return false;
	return wanted[length - 1] == '_' || *end == '.' || *end == '\0' ||
	       (*end == '-' && (end[1] == 'x' || (end[1] >= '0' && end[1] <= '9')));
}

/* As people write it: with or without "lib" in front, or as the file is called. */
static bool is_listed(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while (setting_list_next(&list, &item, &length))
		if (is_library(name, item, length) ||
		    (strncmp(name, "lib", 3) == 0 && is_library(name + 3, item, length)))
			return true;
	return false;
}

bool function_file_is_internal(const char *path, const char *more, const char *less)
{
	const char *name = base_name(path);

	if (is_listed(less, name))
		return false;
	for (size_t i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		if (is_library(name, internal[i], strlen(internal[i])))
			return true;
	return is_listed(more, name);
}

bool function_file_is_ours(const char *path)
{
	const char *name = base_name(path);

	return strncmp(name, "libkymo", 7) == 0 && (name[7] == '.' || name[7] == '-');
}
