/* Text of programs, files and users on its way to people.
 *
 * A name may hold anything: sequences that a terminal obeys, controls that turn the direction of
 * what is read, line breaks that look like lines of Kymo's own.  Every text that is not Kymo's
 * goes through here where it leaves for a terminal or a table; JSON escapes for itself
 * (base/text/jsontext.h), and files of other tools keep their data.
 *
 * Not left: C0 controls and DEL, C1 controls, controls of direction and of lines, U+FFFE and
 * U+FFFF (no XML has them), and bytes that are not UTF-8.  Each is shown as it would be written in
 * a program: \n, \x1b, \u202e, \xff. Nothing is shown twice: what is clean stays as it is. Context:
 * any, but for what says other. */
#ifndef KYMO_PLAINTEXT_H
#define KYMO_PLAINTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct textbuf;

/* The code of a character of valid UTF-8 with that many bytes when it must not reach people as it
 * is; 0 = it may. */
unsigned int plaintext_control(const char *character, size_t length);

bool plaintext_is_clean(const char *text);

/* Copy text, cleaned.  Writes at most size bytes with the NUL, never half a character or
 * escape; returns the full length without the NUL. */
size_t plaintext_clean(const char *text, char *out, size_t size);

/* text itself where it is clean, else a clean copy in buffer, which lives as long as that;
 * "" = no memory.  Context: init. */
const char *plaintext_of(struct textbuf *buffer, const char *text);

/* Append length bytes of text, cleaned; characters of kept, all ASCII, stay.  text[length] can be
 * read.  Context: init. */
void plaintext_add(struct textbuf *out, const char *text, size_t length, const char *kept);

/* As fprintf(), cleaned whole; only newlines at the beginning and the end of format stay.
 * Context: init. */
void plaintext_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
