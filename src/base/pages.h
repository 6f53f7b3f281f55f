/* Private memory straight from the kernel, for code inside a target: malloc may be the
 * program's own, or be locked by the thread that was interrupted.  errno is kept.
 * Context: any. */
#ifndef KYMO_PAGES_H
#define KYMO_PAGES_H

#include <stddef.h>

/* Zeroed memory of at least size bytes, page aligned; NULL when there is none. */
void *pages_new(size_t size);
void pages_free(void *memory, size_t size);

#endif
