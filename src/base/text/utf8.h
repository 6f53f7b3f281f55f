/* Names come from programs and may contain anything; outputs must be valid UTF-8 and one line.
 * Context: any. */
#ifndef KYMO_UTF8_H
#define KYMO_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid character at text, 0 if there is none (also at the end).  Surrogates and
 * overlong forms are not valid. */
size_t utf8_step(const char *text);

/* The code of the valid character of step bytes at text. */
uint32_t utf8_code(const char *text, size_t step);

/* The replacement of the character of step bytes at text (step 0: of an invalid byte), written
 * to out without a NUL: returns its bytes, at most UTF8_REWRITE_MAX; 0 = unchanged. */
#define UTF8_REWRITE_MAX 16
typedef size_t (*utf8_rewrite_fn)(const char *text, size_t step, char *out);

/* Copy text, rewritten character by character; an invalid byte must be replaced.  Writes at most
 * size bytes with the NUL, never part of a replacement; returns the full length without the NUL. */
size_t utf8_rewrite(const char *text, utf8_rewrite_fn rewrite, char *out, size_t size);

#define UTF8_REPLACEMENT 0xfffdu
/* U+FFFD for an invalid byte, all else unchanged. */
size_t utf8_replace_invalid(const char *text, size_t step, char *out);

/* Copy text with every invalid byte replaced by U+FFFD.  Writes at most size bytes with the NUL,
 * never part of a character; returns the full length without the NUL. */
size_t utf8_clean(const char *text, char *out, size_t size);

/* Characters in text, an invalid byte counting as one; for widths on a terminal see
 * text/cells.h. */
size_t utf8_count(const char *text);

/* Bytes of the first count characters of text. */
size_t utf8_offset(const char *text, size_t count);

#endif
