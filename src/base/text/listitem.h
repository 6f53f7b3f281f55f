/* The items of a list in one text, as settings, options and configuration files have them. */
#ifndef KYMO_LISTITEM_H
#define KYMO_LISTITEM_H

#include <stdbool.h>
#include <stddef.h>

/* Walk the items of a list's text: separated by blanks, commas or semicolons; an item in
 * quotes ("..." or '...') may hold these.  *rest begins as the text.  False at the end.
 * Context: any. */
bool listitem_next(const char **rest, const char **item_out, size_t *length_out);

#endif
