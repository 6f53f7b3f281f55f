/* The files that a choice of all libraries excludes.  Context: init. */
#ifndef KYMO_FUNCTION_FILE_H
#define KYMO_FUNCTION_FILE_H

#include <stdbool.h>

/* The C library, compilers' runtimes and the like, or listed in more; not if listed in less. Both
 * are texts of settings that are lists: names of libraries, with or without "lib". */
bool function_file_is_internal(const char *path, const char *more, const char *less);
/* One of Kymo's own libraries. */
bool function_file_is_ours(const char *path);

#endif
