/* The table of options, and lookups in it. */
#include "cli/options/vocabulary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct vocabulary_row vocabulary_table[] = {
#define OPTION(letter, name, kind, action, effect, group, argument, help, why)                     \
	{{letter, name, OPTION_##kind, NULL, argument, help},                                      \
	 NULL,                                                                                     \
	 ACTION_##action,                                                                          \
	 effect,                                                                                   \
	 GROUP_##group,                                                                            \
	 why,                                                                                      \
	 0},
#define WORD(option, word, effect)
#include "cli/options/vocabulary.def"
#undef OPTION
#undef WORD
};
const size_t vocabulary_count = sizeof(vocabulary_table) / sizeof(*vocabulary_table);

const struct vocabulary_word vocabulary_words[] = {
#define OPTION(letter, name, kind, action, effect, group, argument, help, why)
#define WORD(option, word, effect) {option, word, effect},
#include "cli/options/vocabulary.def"
#undef OPTION
#undef WORD
};
const size_t vocabulary_word_count = sizeof(vocabulary_words) / sizeof(*vocabulary_words);

const struct vocabulary_row *vocabulary_find(const char *name, size_t length)
{
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];

		if (strlen(row->option.name) == length &&
		    memcmp(row->option.name, name, length) == 0)
			return row;
	}
	return NULL;
}

const char *vocabulary_word_owner(const struct vocabulary_row *row)
{
	return row->action == ACTION_WORDS_EXCLUDE ? "include" : row->option.name;
}

bool vocabulary_effect_next(const char **rest, struct vocabulary_effect *out)
{
	const char *begin = *rest + strspn(*rest, " ");
	size_t length = strcspn(begin, " "), name_length;
	char name[64];
	int id;

	if (length == 0)
		return false;
	*rest = begin + length;
	out->is_weak = *begin == '?';
	if (out->is_weak) {
		begin++;
		length--;
	}
	name_length = strcspn(begin, "= ");
	snprintf(name, sizeof(name), "%.*s", (int)name_length, begin);
	id = settings_find(name);
	if (id < 0)
		return false;
	out->id = (enum setting_id)id;
	out->value = name_length < length ? begin + name_length + 1 : NULL;
	out->length = name_length < length ? length - name_length - 1 : 0;
	return true;
}

void vocabulary_spell(enum setting_id id, char *name, size_t size)
{
	size_t used = 0;

	for (const char *c = setting_table[id].name; *c && used + 1 < size; c++)
		name[used++] = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
	name[used] = '\0';
}

bool vocabulary_is_option(enum setting_id id)
{
	return strstr(setting_table[id].categories, "internal") == NULL;
}

void vocabulary_request_release(struct vocabulary_request *request)
{
	for (int id = 0; id < SETTING_COUNT; id++)
		free(request->choices[id].value);
	for (size_t i = 0; i < VOCABULARY_OWN_MAX; i++)
		free(request->own[i].items);
}
