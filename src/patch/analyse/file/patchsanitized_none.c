/* Where the build has no decoder of instructions nobody is called through. */
#include "patch/analyse/file/patchsanitized.h"

bool patchsanitized_is(const char *path)
{
	(void)path;
	return false;
}
