/* Keeps sources with a run: copies in a folder of their own, and an index of them. */
#ifndef KYMO_SOURCE_KEEP_H
#define KYMO_SOURCE_KEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct source_files;

#define SOURCE_NAME_SIZE 128

/* Name of the copy of a file: depends on its path alone, and is unique to it. */
void source_kept_name(const char *path, char name[SOURCE_NAME_SIZE]);
/* ".py", ".c", …: suffixes of source files. */
bool source_has_suffix(const char *path);
/* Copy the files into "directory"/sources, the largest self time first; readable for the owner
 * only.  Existing copies that have not changed stay.  *count_out: how many are kept; unreadable
 * files are left out. */
enum kymo_status sources_keep(const struct source_files *files, const char *directory,
			      size_t *count_out, struct problem *problem);

#endif
