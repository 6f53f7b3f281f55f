/* Escaping text from programs, files and users for terminals and tables.
 *
 * A name may contain anything: terminal escape sequences, controls that change the text direction,
 * line breaks that imitate Kymo's own lines.  All foreign text is escaped here before it is written
 * to a terminal or a table; JSON has its own escapes (base/text/jsontext.h), and files of other
 * tools keep their data.
 *
 * Escaped are C0 controls and DEL, C1 controls, controls of direction and of lines, U+FFFE and
 * U+FFFF (not allowed in XML), and bytes that are not UTF-8.  Each is shown as an escape of C:
 * \n, \x1b, \u202e, \xff.  Clean text does not change.  Context: any, unless stated otherwise. */
#ifndef KYMO_PLAINTEXT_H
#define KYMO_PLAINTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct textbuf;

/* The code of a character of valid UTF-8 with that many bytes if it must be escaped; 0 = it need
 * not. */
unsigned int plaintext_control(const char *character, size_t length);

bool plaintext_is_clean(const char *text);

/* Copy text, escaped.  Writes at most size bytes with the NUL, never part of a character or
 * escape; returns the full length without the NUL. */
size_t plaintext_clean(const char *text, char *out, size_t size);

/* text itself if it is clean, else an escaped copy in buffer, with the lifetime of that; "" =
 * out of memory.  Context: init. */
const char *plaintext_of(struct textbuf *buffer, const char *text);

/* Append length bytes of text, escaped; characters in kept, all ASCII, are unchanged.
 * text[length] must be readable.  Context: init. */
void plaintext_add(struct textbuf *out, const char *text, size_t length, const char *kept);

/* As fprintf(), escaped as a whole; only newlines at the beginning and the end of format are
 * kept.  Context: init. */
void plaintext_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
