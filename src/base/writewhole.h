/* Complete writes to a file, a pipe or a terminal.  Context: any. */
#ifndef KYMO_WRITEWHOLE_H
#define KYMO_WRITEWHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* write() until all bytes are written, also if signals interrupt it.  False with errno, which is
 * ENOSPC if the system wrote nothing without an error; a part may have been written then. */
bool write_whole(int fd, const void *bytes, size_t size);

#endif
