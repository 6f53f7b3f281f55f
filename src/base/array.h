/* Growing arrays and lists of lines, for tables of the readers and the commands.  The caller
 * owns all memory.  Uses malloc.  Context: init. */
#ifndef KYMO_ARRAY_H
#define KYMO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Memory for at least need items of item_size: items itself, or its larger replacement.  NULL if
 * out of memory, items is then still valid.  *capacity counts items. */
void *array_grow(void *items, size_t *capacity, size_t need, size_t item_size);

/* Append a formatted line to a list of lines; false if out of memory. */
bool lines_add(char ***lines, size_t *count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void lines_free(char **lines, size_t count);

#endif
