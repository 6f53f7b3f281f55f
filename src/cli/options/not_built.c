/* Options that are not in this build: the table, lookups, and the error message. */
#include "cli/options/not_built.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct not_built not_built_table[] = {
#define NOT_BUILT_OPTION(command, letter, name, needs)                                             \
	{NOT_BUILT_OPTION, command, letter, name, needs},
#define NOT_BUILT_WORD(option, word, needs) {NOT_BUILT_WORD, option, 0, word, needs},
#define NOT_BUILT_KEY(key, needs)	    {NOT_BUILT_KEY, "", 0, key, needs},
#include "cli/options/not_built.def"
#undef NOT_BUILT_OPTION
#undef NOT_BUILT_WORD
#undef NOT_BUILT_KEY
};
const size_t not_built_count = sizeof(not_built_table) / sizeof(*not_built_table);

static bool is_option_of(const struct not_built *row, const char *command)
{
	return row->kind == NOT_BUILT_OPTION && (!row->of[0] || strcmp(row->of, command) == 0);
}

const struct not_built *not_built_option(const char *command, const char *name)
{
	for (size_t i = 0; i < not_built_count; i++)
		if (is_option_of(&not_built_table[i], command) &&
		    strcmp(not_built_table[i].name, name) == 0)
			return &not_built_table[i];
	return NULL;
}

const struct not_built *not_built_letter(const char *command, char letter)
{
	for (size_t i = 0; i < not_built_count; i++)
		if (is_option_of(&not_built_table[i], command) &&
		    not_built_table[i].letter == letter)
			return &not_built_table[i];
	return NULL;
}

const struct not_built *not_built_word(const char *option, const char *word, size_t length)
{
	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];

		if (row->kind == NOT_BUILT_WORD && strcmp(row->of, option) == 0 &&
		    strlen(row->name) == length && memcmp(row->name, word, length) == 0)
			return row;
	}
	return NULL;
}

const struct not_built *not_built_key(const char *key)
{
	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];
		const char *star = strchr(row->name, '*');

		if (row->kind == NOT_BUILT_KEY &&
		    (star ? strncmp(row->name, key, (size_t)(star - row->name)) == 0
			  : strcmp(row->name, key) == 0))
			return row;
	}
	return NULL;
}

void not_built_spell(const struct not_built *row, char *text, size_t size)
{
	switch (row->kind) {
	case NOT_BUILT_OPTION:
		snprintf(text, size, "--%s", row->name);
		break;
	case NOT_BUILT_WORD:
		snprintf(text, size, "--%s %s", row->of, row->name);
		break;
	case NOT_BUILT_KEY:
		snprintf(text, size, "%s", row->name);
		break;
	}
}

enum kymo_status not_built_refuse(const struct not_built *row, struct problem *problem)
{
	char spelled[128];

	not_built_spell(row, spelled, sizeof(spelled));
	return problem_set(problem, KYMO_USAGE, "'%s' needs %s, which this build does not have",
			   spelled, row->needs);
}
