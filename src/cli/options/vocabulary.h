/* The options of commands that record a program, as vocabulary.def lists them, and how they are
 * converted to settings.
 *
 * Besides the listed options every setting is one: PERFETTO_FILE is --perfetto-file.  Everything
 * points into the tables and argv.  One thread. */
#ifndef KYMO_VOCABULARY_H
#define KYMO_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/options/vocabulary_table.h"
#include "config/settings.h"

/* Options that one command adds, or redefines. */
struct vocabulary_dialect {
	const struct vocabulary_row *rows; /* searched before the common ones */
	size_t count;
	const char *topic, *title; /* of their section of the help */
};
#define VOCABULARY_NOTED_MAX 8 /* for which a warning is printed */
#define VOCABULARY_OWN_MAX   24

/* One assignment of an effect. */
struct vocabulary_effect {
	enum setting_id id;
	bool is_weak;
	const char *value; /* NULL = the option's own value; not terminated */
	size_t length;
};
/* The next assignment of an effect; *rest is the effect at first.  False at the end. */
bool vocabulary_effect_next(const char **rest, struct vocabulary_effect *out);

/* The listed option of this name; NULL = none. */
const struct vocabulary_row *vocabulary_find(const char *name, size_t length);

/* The option whose words the WORDS_ actions of this option use: --exclude has those of
 * --include. */
const char *vocabulary_word_owner(const struct vocabulary_row *row);

/* Spell a setting's name as an option, without dashes: "perfetto-file". */
void vocabulary_spell(enum setting_id id, char *name, size_t size);
/* False for settings that Kymo sets for itself. */
bool vocabulary_is_option(enum setting_id id);

struct vocabulary_choice { /* the value for one setting */
	char *value;	   /* NULL = nothing */
	bool is_weak;
};

struct vocabulary_words { /* the words given to an option of one command */
	bool is_given;
	const char **items; /* point into argv */
	size_t count;
};

struct vocabulary_request {
	struct vocabulary_choice choices[SETTING_COUNT];
	/* The value given to an option of the command, "" if it had none; NULL = it was not given.
	 * Points into argv. */
	const char *actions[ACTION_COUNT];
	struct vocabulary_words own[VOCABULARY_OWN_MAX];
	const struct vocabulary_row *noted[VOCABULARY_NOTED_MAX]; /* ignored options */
	size_t noted_count;
	size_t option_end; /* argv[1 .. option_end - 1] are the options */
	size_t program;	   /* argv[program ..] is the program; argc = none */
};

void vocabulary_request_release(struct vocabulary_request *request);

/* Set a setting's value unless the present one is stronger. */
enum kymo_status vocabulary_choose(struct vocabulary_request *request, enum setting_id id,
				   const char *value, bool is_weak, struct problem *problem);

#endif
