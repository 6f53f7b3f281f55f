/* What is known of the terminal an output goes to. */
#ifndef KYMO_TERMINAL_H
#define KYMO_TERMINAL_H

#include <stdint.h>
#include <stdio.h>

#include "config/settings.h"

#define TEXT_WIDTH 80 /* of text that goes to no terminal */

/* Columns of a line; TEXT_WIDTH when out is no terminal. */
unsigned int terminal_width(FILE *out);

#define WIDTH_NOT_GIVEN UINT64_MAX

/* Columns of texts and of tables where given is what --width says, or WIDTH_NOT_GIVEN: names are
 * whole in files, where they are looked for and kept. */
void terminal_widths(FILE *out, uint64_t given, unsigned int *text_out, unsigned int *table_out);

/* A terminal that shows colours, and nobody asked for none. */
bool terminal_has_colour(FILE *out, const struct settings *settings);

#endif
