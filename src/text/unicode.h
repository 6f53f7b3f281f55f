/* Unicode properties of characters.  Implemented with utf8proc (unicode_utf8proc.c), and without it
 * by treating all alike (unicode_none.c).  Context: any. */
#ifndef KYMO_UNICODE_H
#define KYMO_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On a terminal: 0 for combining characters, 2 for wide ones. */
size_t unicode_cells(uint32_t code);

/* Whether a text can be cut between two consecutive characters; state: initially 0, then as
 * returned. */
bool unicode_is_break(uint32_t before, uint32_t after, int32_t *state);

/* false: every character is one cell. */
bool unicode_is_known(void);

#endif
