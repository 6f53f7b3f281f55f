/* The items of a list in one text, as in settings, options and configuration files. */
#ifndef KYMO_LISTITEM_H
#define KYMO_LISTITEM_H

#include <stdbool.h>
#include <stddef.h>

/* Iterate over the items of a list: separated by blanks, commas or semicolons; an item in quotes
 * ("..." or '...') may contain these.  *rest begins as the text.  False at the end.  Context:
 * any. */
bool listitem_next(const char **rest, const char **item_out, size_t *length_out);

#endif
