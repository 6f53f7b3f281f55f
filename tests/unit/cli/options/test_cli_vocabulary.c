/* The vocabulary of options: every row does what it says, all the way to the settings. */
#include "cli/options/vocabulary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/listitem.h"
#include "config/settings_load.h"
#include "vocabulary_fixture.h"

#define VALUE_SIZE 64
#define OWN_MAX	   3 /* settings that get their values from the words of one option */

/* The settings of a program in whose environment the choices are. */
static struct settings *settings_of(const struct line *line)
{
	char *environment[SETTING_COUNT + 2] = {(char *)"KYMO_SUPPRESS_CONFIG=ON"};
	struct settings *settings = settings_new();
	struct problem problem = {""};
	size_t count = 1;

	for (int id = 0; id < SETTING_COUNT; id++)
		if (line->request.choices[id].value)
			assert_true(asprintf(&environment[count++], "KYMO_%s=%s",
					     setting_table[id].name,
					     line->request.choices[id].value) > 0);
	assert_non_null(settings);
	assert_int_equal(settings_load(settings, environment, NULL, &problem), KYMO_OK);
	if (settings_warning_count(settings) > 0)
		fail_msg("%s", settings_warning(settings, 0));
	for (size_t i = 1; i < count; i++)
		free(environment[i]);
	return settings;
}

/* A value that the setting takes and that is not its default. */
static void sample(enum setting_id id, char *value)
{
	const struct setting_row *row = &setting_table[id];
	size_t length, default_length = strlen(row->default_text);
	const char *rest = row->choices, *item;

	switch (row->type) {
	case SETTING_BOOL:
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "ON") ? "ON" : "OFF");
		return;
	case SETTING_INTEGER:
	case SETTING_NUMBER:
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "3") ? "3" : "4");
		return;
	case SETTING_TEXT:
	case SETTING_LIST:
		break;
	}
	snprintf(value, VALUE_SIZE, "%s",
		 strstr(row->name, "PERIODS")	   ? "1:2"
		 : strstr(row->name, "CATEGORIES") ? "user"
						   : "word");
	while (strstr(row->choices, "..") == NULL && listitem_next(&rest, &item, &length)) {
		if (length == default_length && strncmp(item, row->default_text, length) == 0)
			continue;
		snprintf(value, VALUE_SIZE, "%.*s", (int)length, item);
		return;
	}
}

static void assert_setting(const struct settings *settings, enum setting_id id, const char *value,
			   const char *option)
{
	if (strcmp(settings_text(settings, id), value) != 0)
		fail_msg("%s: KYMO_%s is '%s', not '%s'", option, setting_table[id].name,
			 settings_text(settings, id), value);
}

static size_t count_items(const char *effect)
{
	size_t count = 0;

	while (*(effect += strspn(effect, " "))) {
		count++;
		effect += strcspn(effect, " ");
	}
	return count;
}

/* Every name in the effect is a setting, and every fixed value one that it takes. */
static size_t assert_effect(const char *effect, const char *option)
{
	struct settings *settings = settings_new();
	const char *rest = effect;
	struct vocabulary_effect one;
	char value[VALUE_SIZE];
	size_t count = 0;

	assert_non_null(settings);
	for (; vocabulary_effect_next(&rest, &one); count++) {
		if (!one.value)
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)one.length, one.value);
		assert_int_equal(settings_set(settings, setting_table[one.id].name, value,
					      SETTING_FROM_COMMAND, NULL),
				 KYMO_OK);
		assert_setting(settings, one.id, value, option);
	}
	settings_free(settings);
	if (count != count_items(effect))
		fail_msg("--%s: a name in '%s' is no setting", option, effect);
	return count;
}

static void test_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];

		assert_ptr_equal(vocabulary_find(row->option.name, strlen(row->option.name)), row);
		for (size_t k = 0; k < i && row->option.letter; k++)
			assert_int_not_equal(vocabulary_table[k].option.letter, row->option.letter);
		if (row->why)
			continue;
		assert_true(row->option.help[0] != '\0');
		if (row->action == ACTION_SET)
			assert_true(assert_effect(row->effect, row->option.name) > 0);
		else if (row->action < ACTION_HELP)
			assert_effect(row->effect, row->option.name);
		else
			assert_int_equal(count_items(row->effect), 0);
	}
	for (size_t i = 0; i < vocabulary_word_count; i++) {
		const struct vocabulary_word *word = &vocabulary_words[i];
		const struct vocabulary_row *row =
			vocabulary_find(word->option, strlen(word->option));

		assert_non_null(row);
		assert_true(row->action >= ACTION_WORDS_EXACT && row->action < ACTION_HELP);
		assert_effect(word->effect, word->option);
		assert_true(word->effect[0] || strcmp(word->word, "all") == 0);
	}
}

/* What an option of the table sets arrives in the settings of the program. */
static void test_rows_set_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];
		char words[2 * VALUE_SIZE + 128], values[OWN_MAX][VALUE_SIZE] = {""},
						  fixed[VALUE_SIZE];
		bool is_one_each =
			row->option.kind == OPTION_PAIR || row->option.kind == OPTION_SERIES;
		const char *rest = row->effect;
		struct vocabulary_effect one;
		struct settings *settings;
		struct line line;

		if (row->action != ACTION_SET)
			continue;
		for (size_t n = 0; vocabulary_effect_next(&rest, &one);)
			if (!one.value)
				sample(one.id, values[n++]);
		snprintf(words, sizeof(words), "%s --%s%s%s %s %s -- program",
			 strcmp(row->option.name, "rank-filter-id") == 0 ? "--rank-filter-logs=0"
									 : "",
			 row->option.name, row->option.kind == OPTION_OPTIONAL ? "=" : " ",
			 values[0], is_one_each ? values[1] : "", is_one_each ? values[2] : "");
		parse(&line, words);
		if (line.status != KYMO_OK)
			fail_msg("%s: %s", words, line.problem.text);
		assert_int_equal(line.request.program, line.argc - 1);
		settings = settings_of(&line);
		rest = row->effect;
		for (size_t n = 0; vocabulary_effect_next(&rest, &one); n += !one.value) {
			snprintf(fixed, sizeof(fixed), "%.*s", (int)one.length,
				 one.value ? one.value : "");
			assert_setting(settings, one.id,
				       one.value ? fixed : values[is_one_each ? n : 0], words);
		}
		settings_free(settings);
		vocabulary_request_release(&line.request);
	}
}

static void test_every_setting_is_an_option(void **state)
{
	static const char *const forms[] = {"--%s=%s program", "--%s %s -- program"};

	(void)state;
	for (int id = 0; id < SETTING_COUNT; id++) {
		char name[64], value[VALUE_SIZE], words[256];

		vocabulary_spell((enum setting_id)id, name, sizeof(name));
		if (!vocabulary_is_option((enum setting_id)id) ||
		    vocabulary_find(name, strlen(name)))
			continue;
		sample((enum setting_id)id, value);
		for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
			struct settings *settings;
			struct line line;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(words, sizeof(words), forms[form], name, value);
#pragma GCC diagnostic pop
			parse(&line, words);
			if (line.status != KYMO_OK)
				fail_msg("%s: %s", words, line.problem.text);
			assert_string_equal(line.request.choices[id].value, value);
			/* What changes how settings are read is not read back. */
			if (strncmp(setting_table[id].categories, "config", 6) != 0) {
				settings = settings_of(&line);
				assert_setting(settings, (enum setting_id)id, value, words);
				settings_free(settings);
			}
			vocabulary_request_release(&line.request);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_rows_set_settings),
		cmocka_unit_test(test_every_setting_is_an_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
