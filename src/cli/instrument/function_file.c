/* Which files are included when all libraries are, with the exceptions of the settings. */
#include "cli/instrument/function_file.h"

#include <stddef.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/listitem.h"
#include "config/settings.h"
#include "object/names/system_library.h"

/* A listed name may lack "lib", or be the file's full name. */
static bool file_is_listed(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while (listitem_next(&list, &item, &length))
		if (library_is_named(name, item, length) ||
		    (strncmp(name, "lib", 3) == 0 && library_is_named(name + 3, item, length)))
			return true;
	return false;
}

bool function_file_is_internal(const char *path, const char *more, const char *less)
{
	const char *name = path_base_name(path);

	if (file_is_listed(less, name))
		return false;
	return library_is_of_system(name) || file_is_listed(more, name);
}

bool function_file_is_ours(const char *path)
{
	return library_is_kymo(path_base_name(path));
}
