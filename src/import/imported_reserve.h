/* Shared by the files that fill a struct imported. */
#ifndef KYMO_IMPORTED_RESERVE_H
#define KYMO_IMPORTED_RESERVE_H

#include "import/imported.h"

/* Reserve one more item, zeroed; NULL, and remembered, when out of memory. */
#define IMPORTED_RESERVE(imported, items, count, capacity)                                         \
	imported_reserve(imported, (void **)&(items), count, &(capacity), sizeof(*(items)))

void *imported_reserve(struct imported *imported, void **items, size_t count, size_t *capacity,
		       size_t item_size);

/* A copy, cut if it is too long; NULL = it is empty. */
char *imported_name(struct imported *imported, struct span name);

#endif
