/* The items of lists in settings and options. */
#include "base/text/listitem.h"

#include <string.h>

bool listitem_next(const char **rest, const char **item_out, size_t *length_out)
{
	static const char separators[] = " \t\r\n,;";
	const char *item = *rest + strspn(*rest, separators), *end = NULL;

	if (*item == '\0')
		return false;
	if (*item == '"' || *item == '\'')
		end = strchr(item + 1, *item);
	if (end != NULL) {
		*rest = end + 1;
		item++;
	} else {
		end = item + strcspn(item, separators);
		*rest = end;
	}
	*item_out = item;
	*length_out = (size_t)(end - item);
	return true;
}
