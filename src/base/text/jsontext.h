/* Text as the inside of a JSON string.  Context: any. */
#ifndef KYMO_JSONTEXT_H
#define KYMO_JSONTEXT_H

#include <stddef.h>

/* A byte of text becomes at most this many bytes. */
#define JSON_ESCAPE_MAX 6

/* Copy text, escaped for a JSON string, without the quotes; bytes that are not UTF-8
 * become U+FFFD.  Writes at most size bytes with the NUL, never part of a character;
 * returns the full length without the NUL. */
size_t json_escape(const char *text, char *out, size_t size);

#endif
