/* Files whose functions were selected by name, but of which none was recorded: most often a
 * mistyped name, or a library that was not loaded.  Owns nothing.  Not thread-safe. */
#ifndef KYMO_UNMATCHED_FILES_H
#define KYMO_UNMATCHED_FILES_H

#include "model/profile/loaded_run.h"

/* Called with a line for each of them; context is passed on.  The settings are those of the first
 * process, the files those of all. */
typedef void (*unmatched_files_fn)(const char *line, void *context);
void unmatched_files_each(const struct loaded_run *loaded, unmatched_files_fn tell, void *context);

#endif
