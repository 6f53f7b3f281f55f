/* Without libelf libraries have no names. */
#include "object/image/own_name.h"

bool own_name_read(const char *path, char *name, size_t size)
{
	(void)path;
	(void)name;
	(void)size;
	return false;
}
