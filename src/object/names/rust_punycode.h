/* Identifiers with non-ASCII letters in rustc's linkers' names: Punycode of RFC 3492, with '_'
 * instead of '-'.  No state; any thread. */
#ifndef KYMO_RUST_PUNYCODE_H
#define KYMO_RUST_PUNYCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf;

/* Append the decoded text, size bytes, in UTF-8; false: it is no Punycode. */
bool rust_put_punycode(const char *text, size_t size, struct textbuf *out);

/* A character in UTF-8; false: there is no such code point. */
bool rust_put_code(uint32_t code, struct textbuf *out);

#endif
