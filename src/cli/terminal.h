/* What is known of the terminal an output goes to. */
#ifndef KYMO_TERMINAL_H
#define KYMO_TERMINAL_H

#include <stdio.h>

#include "config/settings.h"

#define TEXT_WIDTH 80 /* of text that goes to no terminal */

/* Columns of a line; TEXT_WIDTH when out is no terminal. */
unsigned int terminal_width(FILE *out);

/* A terminal that shows colours, and nobody asked for none. */
bool terminal_has_colour(FILE *out, const struct settings *settings);

#endif
