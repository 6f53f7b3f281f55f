/* The look of help on a terminal: options at the left, what they do beside them. */
#ifndef KYMO_HELP_TEXT_H
#define KYMO_HELP_TEXT_H

#include "cli/options/option_row.h"

/* Words from column on, wrapped; the cursor stands at column.  Ends the line. */
void help_wrapped(const char *text, int column);

/* One option: "-x, --name ARGUMENT" (letter 0 = none, argument "" = none) and its text.  A
 * blank is put before the argument unless it has its own, or is "[=...]". */
void help_option(char letter, const char *name, const char *argument, const char *text);

/* The same with two letters behind the dash. */
void help_option_letters(const char *letters, const char *name, const char *argument,
			 const char *text);

/* More text of the option written last. */
void help_more(const char *text);

/* All of a command that reads: its usage, what it does, and its options. */
void help_table(const struct option_table *table);

#endif
