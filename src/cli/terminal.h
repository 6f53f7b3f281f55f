/* Properties of the terminal an output goes to. */
#ifndef KYMO_TERMINAL_H
#define KYMO_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

#include "config/settings.h"

#define TEXT_WIDTH 80 /* of text that does not go to a terminal */

/* Columns of a line; TEXT_WIDTH when out is not a terminal. */
unsigned int terminal_width(FILE *out);

#define WIDTH_NOT_GIVEN UINT64_MAX

/* Columns of texts and of tables, where given is the value of --width or WIDTH_NOT_GIVEN: names are
 * never shortened in files. */
void terminal_widths(FILE *out, uint64_t given, unsigned int *text_out, unsigned int *table_out);

/* Whether out is a terminal that shows colours, and colours are not disabled. */
bool terminal_has_colour(FILE *out, const struct settings *settings);

#endif
