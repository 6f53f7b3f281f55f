/* Opening files by names that others have chosen.  Context: any; errno is set. */
#ifndef KYMO_REGULARFILE_H
#define KYMO_REGULARFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A descriptor to read the file by, or -1: EINVAL where it is none but a pipe, a device, a
 * folder.  Those are not even opened, which could wait, or do something. */
int regularfile_open(const char *path);

/* The next size bytes of it; false: they are not there, or cannot be read. */
bool regularfile_read(int fd, void *to, size_t size);

#endif
