/* Common code of the readers and the keeper of sources: names, and how files are opened. */
#ifndef KYMO_SOURCE_PATH_H
#define KYMO_SOURCE_PATH_H

#include <sys/stat.h>

#include <stdbool.h>

#include "base/status.h"

struct source_text;

/* Open for reading, never blocking; -1 with errno. */
int source_open(const char *path, int flags);
/* Read an open file: state SOURCE_HERE with its text, or why not.  path: for its suffix. */
enum kymo_status source_read_fd(int fd, const char *path, struct source_text *out,
				struct stat *about_out);

#endif
