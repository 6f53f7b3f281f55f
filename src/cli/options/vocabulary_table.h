/* The options of commands that record a program, as vocabulary.def lists them. */
#ifndef KYMO_VOCABULARY_TABLE_H
#define KYMO_VOCABULARY_TABLE_H

#include <stddef.h>

#include "cli/options/option_row.h"

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
	ACTION_NEEDLESS, /* refused: what it asks for is had another way, and why says how */
	ACTION_NOTED,	 /* passed over: there is nothing to be done, and why says that */
	ACTION_OWN,	 /* of one command alone: it is in the request's own[] */
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
	struct option_row option; /* without a target: it is the request that has what was given */
	const char *letters;	  /* two behind one dash, "MI"; NULL = none */
	enum vocabulary_action action;
	const char *effect;
	enum vocabulary_group group;
	const char *why;  /* with NEEDLESS and NOTED: what is said of it */
	unsigned int own; /* with ACTION_OWN: index into the request's own[] */
};

struct vocabulary_word {
	const char *option, *word, *effect;
};

extern const struct vocabulary_row vocabulary_table[];
extern const size_t vocabulary_count;
extern const struct vocabulary_word vocabulary_words[];
extern const size_t vocabulary_word_count;

#endif
