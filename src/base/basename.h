/* The last part of a path.  libgen.h's basename() modifies its argument, and there are two
 * functions of that name; the headers decide which one is called.  Context: any. */
#ifndef KYMO_BASENAME_H
#define KYMO_BASENAME_H

#include <string.h>

/* What follows the last slash, in the path itself: "" if it ends with one.  NULL for NULL. */
static inline const char *path_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* The same for display: the whole path if it ends with a slash. */
static inline const char *path_shown_name(const char *path)
{
	const char *name = path_base_name(path);

	return name && *name ? name : path;
}

#endif
