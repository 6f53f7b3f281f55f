/* Private memory directly from the kernel, for code in the recorded program: malloc may be the
 * program's own, or be locked by the interrupted thread.  errno is kept.  Context: any. */
#ifndef KYMO_PAGES_H
#define KYMO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory of at least size bytes, page aligned; NULL if out of memory. */
void *pages_new(size_t size);
void pages_free(void *memory, size_t size);

/* true: from now on pages_new() returns NULL and pages_free() does nothing: the process may no
 * longer make these system calls.  false: it may. */
void pages_freeze(bool is_frozen);
bool pages_are_frozen(void);

#endif
