/* Opening files by untrusted names.  Context: any; errno is set. */
#ifndef KYMO_REGULARFILE_H
#define KYMO_REGULARFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A descriptor to read the file, or -1: EINVAL for a pipe, a device, a directory.  Those are not
 * even opened, which could block, or have effects. */
int regularfile_open(const char *path);

/* The next size bytes of it; false: too few, or not readable. */
bool regularfile_read(int fd, void *to, size_t size);

#endif
