/* The layout of help on a terminal: options on the left, their descriptions on the right. */
#ifndef KYMO_HELP_TEXT_H
#define KYMO_HELP_TEXT_H

#include "cli/options/option_row.h"

/* Text wrapped from column on, where the cursor is.  Ends the line. */
void help_wrapped(const char *text, int column);

/* One option: "-x, --name ARGUMENT" (letter 0 = none, argument "" = none) and its text.  A
 * blank is put before the argument unless it has its own, or is "[=...]". */
void help_option(char letter, const char *name, const char *argument, const char *text);

/* The same with two letters after the dash. */
void help_option_letters(const char *letters, const char *name, const char *argument,
			 const char *text);

/* More text for the last option. */
void help_more(const char *text);

/* The whole help of a command that reads: its usage, description, and options. */
void help_table(const struct option_table *table);

#endif
