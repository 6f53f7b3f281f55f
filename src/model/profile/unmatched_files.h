/* Files whose functions were asked for by name, and of which none was recorded: most often a name
 * that is mistyped, or a library that was not loaded.  Owns nothing.  Not thread-safe. */
#ifndef KYMO_UNMATCHED_FILES_H
#define KYMO_UNMATCHED_FILES_H

#include "model/profile/loaded_run.h"

/* Tell a line for each of them; context is handed on.  The settings are those of the first
 * process, the files those of all. */
typedef void (*unmatched_files_fn)(const char *line, void *context);
void unmatched_files_each(const struct loaded_run *loaded, unmatched_files_fn tell, void *context);

#endif
