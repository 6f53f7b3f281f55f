/* Identifiers with letters that are not ASCII, as rustc's linkers' names have them: Punycode of RFC
 * 3492, with '_' in the place of '-'.  No state; any thread. */
#ifndef KYMO_RUST_PUNYCODE_H
#define KYMO_RUST_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>

struct textbuf;

/* Append what size bytes of text stand for, in UTF-8; false: they are no Punycode. */
bool rust_put_punycode(const char *text, size_t size, struct textbuf *out);

#endif
