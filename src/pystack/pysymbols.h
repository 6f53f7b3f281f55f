/* Symbols that a module in this process's memory exports. */
#ifndef KYMO_PYSYMBOLS_H
#define KYMO_PYSYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* addresses[i] = address of names[i] in the module whose first byte is at start, 0 = not exported.
 * The first name is required: false, quickly, without it.  Memory is read by the kernel: the module
 * may be unloaded concurrently.  Context: any. */
bool pysymbols_find(uint64_t start, uint64_t bias, const char *const *names, size_t count,
		    uint64_t *addresses);

#endif
