/* The path of the command `kymo`, relative to the directory of Kymo's libraries. */
#ifndef KYMO_TOOLPATH_H
#define KYMO_TOOLPATH_H

#include <stdbool.h>
#include <stddef.h>

/* The command that belongs to the library at path library; false: there is none that is
 * executable.  Allocates nothing.  Context: any. */
bool toolpath_find(const char *library, char *path, size_t size);

#endif
