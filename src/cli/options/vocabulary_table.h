/* The options of commands that record a program, as vocabulary.def lists them. */
#ifndef KYMO_VOCABULARY_TABLE_H
#define KYMO_VOCABULARY_TABLE_H

#include <stddef.h>

#include "cli/options/option_row.h"

enum vocabulary_action {
	ACTION_SET,
	ACTION_WORDS_EXACT,   /* the settings of the given words are on, those of the others off */
	ACTION_WORDS_INCLUDE, /* the settings of the given words are on */
	ACTION_WORDS_EXCLUDE, /* the settings of the given words are off */
	/* For the command; the first one marks the start. */
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_PRESET,
	ACTION_LIST_PRESETS,
	ACTION_EXPLAIN,
	ACTION_EXPORT,
	ACTION_NO_PYTHON,
	ACTION_LAUNCHER,
	ACTION_FORK,
	ACTION_NEEDLESS, /* refused: the effect has another way, given by why */
	ACTION_NOTED,	 /* accepted without effect, for the reason why */
	ACTION_OWN,	 /* of one command only: it is in the request's own[] */
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
	struct option_row option; /* without a target: the request stores the value */
	const char *letters;	  /* two behind one dash, "MI"; NULL = none */
	enum vocabulary_action action;
	const char *effect;
	enum vocabulary_group group;
	const char *why;  /* with NEEDLESS and NOTED: the text of the message */
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
