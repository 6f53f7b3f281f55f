/* Private memory straight from the kernel, for code inside a target: malloc may be the
 * program's own, or be locked by the thread that was interrupted.  errno is kept.
 * Context: any. */
#ifndef KYMO_PAGES_H
#define KYMO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory of at least size bytes, page aligned; NULL when there is none. */
void *pages_new(size_t size);
void pages_free(void *memory, size_t size);

/* From here on pages_new() has none and pages_free() keeps them: the process is no longer
 * allowed the system calls.  false: it is. */
void pages_freeze(bool is_frozen);
bool pages_are_frozen(void);

#endif
