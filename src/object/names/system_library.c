/* Classifies libraries by their names. */
#include "object/names/system_library.h"

#include <string.h>

static const char *const of_system[] = {
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

bool library_is_named(const char *name, const char *wanted, size_t length)
{
	const char *end = name + length;

	if (length == 0 || strncmp(name, wanted, length) != 0)
		return false;
	return wanted[length - 1] == '_' || *end == '.' || *end == '\0' ||
	       (*end == '-' && (end[1] == 'x' || (end[1] >= '0' && end[1] <= '9')));
}

bool library_is_of_system(const char *name)
{
	for (size_t i = 0; i < sizeof(of_system) / sizeof(*of_system); i++)
		if (library_is_named(name, of_system[i], strlen(of_system[i])))
			return true;
	return false;
}

bool library_is_kymo(const char *name)
{
	return strncmp(name, "libkymo", 7) == 0 && (name[7] == '.' || name[7] == '-');
}
