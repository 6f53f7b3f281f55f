/* Identifiers with letters that are not ASCII, as rustc's linkers' names have them: Punycode of RFC
 * 3492, with '_' in the place of '-'.  No state; any thread. */
#ifndef KYMO_RUST_PUNYCODE_H
#define KYMO_RUST_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

/* Append what size bytes of text stand for, in UTF-8; false: they are no Punycode. */
bool rust_put_punycode(const char *text, size_t size, struct textbuf *out);

/* A character in UTF-8; false: there is none of that code. */
bool rust_put_code(uint32_t code, struct textbuf *out);

#endif
