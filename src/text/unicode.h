/* What Unicode says of characters.  One header, two answers: with utf8proc (unicode_utf8proc.c),
 * and without it that all are alike (unicode_none.c).  Context: any. */
#ifndef KYMO_UNICODE_H
#define KYMO_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a terminal: 0 for what combines with the character before, 2 for wide ones. */
size_t unicode_cells(uint32_t code);

/* Whether a text can be cut between two characters that follow each other; state: 0 to begin
 * with, then as it was left. */
bool unicode_is_break(uint32_t before, uint32_t after, int32_t *state);

/* false: every character is a cell. */
bool unicode_is_known(void);

#endif
