/* The width of a text on a terminal, and where it can be cut: columns are counted in cells; CJK
 * characters and emoji take two, combining characters none.
 *
 * A width is the sum of its characters', as in terminals and wcwidth(), independent of the locale.
 * Texts are UTF-8, cleaned (base/text/plaintext.h); an invalid byte is a cell. Context: any. */
#ifndef KYMO_CELLS_H
#define KYMO_CELLS_H

#include <stddef.h>

size_t cells_of(const char *text);
/* Of its first length bytes. */
size_t cells_of_part(const char *text, size_t length);

/* Bytes of the longest prefix of text that takes so many cells at most: whole characters, including
 * all that combine with the last one. */
size_t cells_cut(const char *text, size_t cells);
/* Bytes before the longest suffix of text that takes so many cells at most: whole characters. */
size_t cells_skip(const char *text, size_t cells);
/* As cells_cut() for wrapping lines: at least one character, even if it does not fit. */
size_t cells_line(const char *text, size_t cells);

#endif
