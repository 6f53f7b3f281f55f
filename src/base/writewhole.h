/* All of it written into a file, a pipe or a terminal.  Context: any. */
#ifndef KYMO_WRITEWHOLE_H
#define KYMO_WRITEWHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* write() until all bytes are there, also where signals interrupt it.  False with errno, which is
 * ENOSPC where the system took nothing and gave no reason; a part may be written then. */
bool write_whole(int fd, const void *bytes, size_t size);

#endif
