/* How wide a text is on a terminal, and where it can be cut: columns are counted in cells, of which
 * CJK characters and emoji take two, and what combines with the character before it none.
 *
 * A width is the sum of its characters', as terminals and wcwidth() have it; the locale has no
 * part in it.  Texts are UTF-8, cleaned (base/text/plaintext.h); an invalid byte is a cell.
 * Context: any. */
#ifndef KYMO_CELLS_H
#define KYMO_CELLS_H

#include <stddef.h>

size_t cells_of(const char *text);
/* Of its first length bytes. */
size_t cells_of_part(const char *text, size_t length);

/* Bytes of the longest beginning of text that takes so many cells at most: whole characters, with
 * all that combines with the last one. */
size_t cells_cut(const char *text, size_t cells);
/* Bytes in front of the longest end of text that takes so many cells at most: whole characters. */
size_t cells_skip(const char *text, size_t cells);
/* As cells_cut() for lines that go on: of what fits no line a part, at least one character. */
size_t cells_line(const char *text, size_t cells);

#endif
