/* The options of commands that record a program, as vocabulary.def lists them. */
#ifndef KYMO_VOCABULARY_TABLE_H
#define KYMO_VOCABULARY_TABLE_H

#include <stddef.h>

enum vocabulary_arity {
	ARITY_NONE,
	ARITY_ONE,
	ARITY_PAIR,	/* one word, and a second where that cannot be the program */
	ARITY_LIST,	/* words, joined by commas */
	ARITY_PATHS,	/* words, joined by colons */
	ARITY_NUMBER,	/* none, or the next word if that is a number */
	ARITY_OPTIONAL, /* none, or one in the same argument behind '=' */
	ARITY_WORDS,	/* none or more of the option's own words */
	ARITY_SERIES,	/* none or more: the first is one setting's, the second another's … */
	ARITY_SWITCH,	/* none = ON, or a word that says on or off */
	ARITY_ITEMS,	/* words, each an item of its setting's list whatever is in it */
	ARITY_CHOICE,	/* none, or the next word if it is one of "argument", apart by '|' */
};

enum vocabulary_action {
	ACTION_SET,
	ACTION_WORDS_EXACT,   /* what the words say is on, what the others say is off */
	ACTION_WORDS_INCLUDE, /* what the words say is on */
	ACTION_WORDS_EXCLUDE, /* it is off */
	/* For the command; the first is not one. */
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_PRESET,
	ACTION_LIST_PRESETS,
	ACTION_EXPLAIN,
	ACTION_EXPORT,
	ACTION_NO_PYTHON,
	ACTION_LAUNCHER,
	ACTION_FORK,
	ACTION_NEEDLESS, /* refused: what it asks for is had another way, and needs says how */
	ACTION_NOTED,	 /* passed over: there is nothing to be done, and needs says why */
	ACTION_OWN,	 /* of one command alone: struct vocabulary_own */
	ACTION_COUNT
};

enum vocabulary_group {
	GROUP_GENERAL,
	GROUP_PRESETS,
	GROUP_TRACING,
	GROUP_PROFILING,
	GROUP_BACKEND,
	GROUP_PARALLELISM,
	GROUP_SAMPLES,
	GROUP_PROCESS,
	GROUP_COUNTER,
	GROUP_DEBUGGING,
	GROUP_COUNT
};

struct vocabulary_row {
	char letter; /* 0 = none */
	const char *name;
	enum vocabulary_arity arity;
	enum vocabulary_action action;
	const char *effect;
	enum vocabulary_group group;
	const char *argument, *help;
	const char *needs; /* NULL = it is there */
};

struct vocabulary_word {
	const char *option, *word, *effect, *needs;
};

extern const struct vocabulary_row vocabulary_table[];
extern const size_t vocabulary_count;
extern const struct vocabulary_word vocabulary_words[];
extern const size_t vocabulary_word_count;

#endif
