/* Keeping sources with a run: copies in a folder of their own, and a list of them. */
#ifndef KYMO_SOURCE_KEEP_H
#define KYMO_SOURCE_KEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct source_files;

#define SOURCE_NAME_SIZE 128

/* Name of the copy of a file: told by its path alone, and different for different ones. */
void source_kept_name(const char *path, char name[SOURCE_NAME_SIZE]);
/* ".py", ".c", …: what Kymo takes for sources. */
bool source_has_suffix(const char *path);
/* Copy the files into "directory"/sources, those with the most time first; readable for the
 * owner only.  What is there already and has not changed stays.  *count_out: how many are kept;
 * files that cannot be read are left out. */
enum kymo_status sources_keep(const struct source_files *files, const char *directory,
			      size_t *count_out, struct problem *problem);

#endif
