/* Growing arrays and lists of lines.  Arrays grow by half, so that appending takes amortised
 * constant time; sizes are checked for overflow, because they come from files. */
#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *array_grow(void *items, size_t *capacity, size_t need, size_t item_size)
{
	size_t wanted = *capacity + *capacity / 2 + 8;
	size_t bytes;
	void *grown;

	if (need <= *capacity)
		return items;
	if (wanted < need)
		wanted = need;
	if (__builtin_mul_overflow(wanted, item_size, &bytes))
		return NULL;
	grown = realloc(items, bytes);
	if (grown)
		*capacity = wanted;
	return grown;
}

bool lines_add(char ***lines, size_t *count, const char *format, ...)
{
	char **grown = reallocarray(*lines, *count + 1, sizeof(**lines));
	va_list arguments;
	int length;

	if (!grown)
		return false;
	*lines = grown;
	va_start(arguments, format);
	length = vasprintf(&grown[*count], format, arguments);
	va_end(arguments);
	if (length < 0)
		return false;
	(*count)++;
	return true;
}

void lines_free(char **lines, size_t count)
{
	while (count > 0)
		free(lines[--count]);
	free(lines);
}
