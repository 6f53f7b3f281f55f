/* A row of a table of options, which describes every command's options.
 *
 * Targets keep their value when the option is absent.  Texts point into argv. */
#ifndef KYMO_OPTION_ROW_H
#define KYMO_OPTION_ROW_H

#include <stddef.h>

enum option_kind {
	OPTION_FLAG, /* no value; target: bool, becomes true */

	/* Of commands that read: the value is the next word, whatever it is. */
	OPTION_TEXT,   /* target: const char * */
	OPTION_COUNT,  /* target: uint64_t */
	OPTION_CHOICE, /* target: unsigned int, the index among choices */
	OPTION_TEXTS,  /* target: struct option_words; one value each time it is given */
	OPTION_WORDS,  /* target: struct option_words; takes all arguments up to the next option
			* and may be repeated */

	/* Of commands that record, where a program may follow: no target. */
	OPTION_ONE,
	OPTION_PAIR,	  /* one word, and a second if that cannot be the program */
	OPTION_LIST,	  /* words, joined by commas */
	OPTION_PATHS,	  /* words, joined by colons */
	OPTION_NUMBER,	  /* none, or the next word if that is a number */
	OPTION_OPTIONAL,  /* none, or one in the same argument after '=' */
	OPTION_OWN_WORDS, /* none or more of the option's own words */
	OPTION_SERIES,	  /* none or more: the first for one setting, the second for another … */
	OPTION_SWITCH,	  /* none = ON, or a word that means on or off */
	OPTION_ITEMS,	  /* words, each an item of its setting's list, taken literally */
	OPTION_ONE_OF,	  /* none, or the next word if it is in "argument", separated by '|' */
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

struct option_table {	     /* of a command that reads */
	const char *command; /* "kymo report" */
	const char *usage;   /* what follows it in the usage line: "[options] [RUN]" */
	const char *description;
	const struct option_row *rows;
	size_t row_count;
};

#endif
