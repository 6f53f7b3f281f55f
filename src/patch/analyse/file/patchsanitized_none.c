/* Builds without an instruction decoder use no call-through. */
#include "patch/analyse/file/patchsanitized.h"

bool patchsanitized_is(const char *path)
{
	(void)path;
	return false;
}
