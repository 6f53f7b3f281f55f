/* Where the command `kymo` lies, as seen from the folder of Kymo's libraries. */
#ifndef KYMO_TOOLPATH_H
#define KYMO_TOOLPATH_H

#include <stdbool.h>
#include <stddef.h>

/* The command that belongs to the library at path library; false: there is none that can be
 * run.  Nothing is allocated.  Context: any. */
bool toolpath_find(const char *library, char *path, size_t size);

#endif
