/* Options of a command as a table of rows; the table parses, and prints the help.
 *
 * Forms: -x, -xVALUE, -x VALUE, --name, --name VALUE, --name=VALUE; "--" ends them.
 * Targets keep their value when the option is absent.  Texts point into argv. */
#ifndef KYMO_OPTIONS_H
#define KYMO_OPTIONS_H

#include <stddef.h>

#include "base/status.h"

enum option_kind {
	OPTION_FLAG,   /* target: bool, becomes true */
	OPTION_TEXT,   /* target: const char * */
	OPTION_COUNT,  /* target: uint64_t */
	OPTION_CHOICE, /* target: unsigned int, the index among choices */
	OPTION_TEXTS,  /* target: struct option_words; one value each time it is given */
	OPTION_WORDS,  /* target: struct option_words; takes all arguments up to the next option
			* and may be repeated */
};

#define OPTION_WORDS_MAX 64

struct option_words {
	const char *items[OPTION_WORDS_MAX];
	size_t count;
};

struct option_row {
	char letter; /* 0 = none */
	const char *name;
	enum option_kind kind;
	void *target;
	const char *argument; /* name of the value in the help; CHOICE: the choices, "a,b" */
	const char *help;
};

struct option_table {
	const char *command; /* "kymo report" */
	const char *usage;   /* what follows it: "[options] [RUN]" */
	const char *description;
	const struct option_row *rows;
	size_t row_count;
};

enum options_result { OPTIONS_PARSED, OPTIONS_HELPED, OPTIONS_FAILED };

/* Parse argv[1..]; what is no option moves to the front, argv[0..] with *argc left.
 * --help prints the help on standard output: HELPED.  FAILED has the problem. */
enum options_result options_parse(const struct option_table *table, int *argc, char **argv,
				  struct problem *problem);

#endif
