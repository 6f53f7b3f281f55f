/* The help of the commands that share the vocabulary. */
#include "cli/options/vocabulary_help.h"

#include <stdio.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "cli/options/help_text.h"
#include "cli/options/not_built.h"
#include "cli/options/vocabulary.h"

/* The topics of --help=TOPIC are the first words. */
static const struct {
	const char *topic, *title;
} groups[GROUP_COUNT] = {
	[GROUP_GENERAL] = {"general", "general options"},
	[GROUP_PRESETS] = {"preset", "presets"},
	[GROUP_TRACING] = {"tracing", "traces"},
	[GROUP_PROFILING] = {"profiling", "profiles"},
	[GROUP_BACKEND] = {"backend", "further data"},
	[GROUP_PARALLELISM] = {"parallel", "processes"},
	[GROUP_SAMPLES] = {"sampling", "sampling"},
	[GROUP_PROCESS] = {"process", "the machine"},
	[GROUP_COUNTER] = {"counters", "hardware counters"},
	[GROUP_DEBUGGING] = {"debug", "messages"},
};

static bool is_used(const struct vocabulary_row *row, int group)
{
	return (int)row->group == group && !row->why;
}

static bool has_rows(int group)
{
	for (size_t i = 0; i < vocabulary_count; i++)
		if (is_used(&vocabulary_table[i], group))
			return true;
	return false;
}

/* "KYMO_TRACE=ON KYMO_X": the effect as environment variables, or its opposite. */
static void put_effect(struct textbuf *text, const char *effect, bool is_off)
{
	struct vocabulary_effect one;

	while (vocabulary_effect_next(&effect, &one)) {
		textbuf_format(text, "%sKYMO_%s", text->length ? " " : "",
			       setting_table[one.id].name);
		if (one.value)
			textbuf_format(text, "=%.*s", is_off ? 3 : (int)one.length,
				       is_off ? "OFF" : one.value);
	}
}

static void print_words(const struct vocabulary_row *row)
{
	for (size_t i = 0; i < vocabulary_word_count; i++) {
		const struct vocabulary_word *word = &vocabulary_words[i];
		struct textbuf effect = {0}, line = {0};

		if (strcmp(word->option, vocabulary_word_owner(row)) != 0)
			continue;
		put_effect(&effect, word->effect, row->action == ACTION_WORDS_EXCLUDE);
		textbuf_text(&line, word->word);
		if (effect.length)
			textbuf_format(&line, ": %s", effect.data);
		if (!line.has_failed)
			help_more(line.data);
		textbuf_release(&effect);
		textbuf_release(&line);
	}
}

/* Whether the command has an option of its own with that letter. */
static bool has_own_letter(const struct vocabulary_dialect *dialect, char letter)
{
	for (size_t i = 0; dialect && i < dialect->count; i++)
		if (dialect->rows[i].option.letter == letter)
			return true;
	return false;
}

/* Whether it has one of that name. */
static bool has_own_name(const struct vocabulary_dialect *dialect, const char *name)
{
	for (size_t i = 0; dialect && i < dialect->count; i++)
		if (strcmp(dialect->rows[i].option.name, name) == 0)
			return true;
	return false;
}

static void help_print_row(const struct vocabulary_row *row, char letter, const char *letters)
{
	const struct option_row *option = &row->option;
	struct textbuf effect = {0}, argument = {0};

	if (option->kind == OPTION_OPTIONAL)
		textbuf_format(&argument, "[=%s]", option->argument);
	else if (option->kind == OPTION_ONE_OF)
		textbuf_format(&argument, " [%s]", option->argument);
	else
		textbuf_format(&argument, "%s%s", option->argument[0] == '[' ? " " : "",
			       option->argument);
	put_effect(&effect, row->effect, false);
	if (!argument.has_failed && letters)
		help_option_letters(letters, option->name, argument.data, option->help);
	else if (!argument.has_failed)
		help_option(letter, option->name, argument.data, option->help);
	if (effect.length && !effect.has_failed)
		help_more(effect.data);
	if (row->action >= ACTION_WORDS_EXACT && row->action <= ACTION_WORDS_EXCLUDE)
		print_words(row);
	textbuf_release(&effect);
	textbuf_release(&argument);
}

static void print_group(int group, const struct vocabulary_dialect *dialect)
{
	printf("\n%s:\n", groups[group].title);
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];

		char letter = row->option.letter;

		if (is_used(row, group) && !has_own_name(dialect, row->option.name))
			help_print_row(row, has_own_letter(dialect, letter) ? '\0' : letter, NULL);
	}
}

static void print_dialect(const struct vocabulary_dialect *dialect)
{
	printf("\n%s:\n", dialect->title);
	for (size_t i = 0; i < dialect->count; i++)
		if (!dialect->rows[i].why)
			help_print_row(&dialect->rows[i], dialect->rows[i].option.letter,
				       dialect->rows[i].letters);
}

/* Settings for which no listed option has the same name. */
static void print_settings(void)
{
	char name[64];

	printf("\nevery setting, as an option:\n");
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_table[id];
		const char *argument = row->type == SETTING_BOOL   ? "[=ON|OFF]"
				       : row->type == SETTING_LIST ? "LIST"
				       : row->type == SETTING_TEXT ? "TEXT"
								   : "N";

		vocabulary_spell((enum setting_id)id, name, sizeof(name));
		if (vocabulary_is_option((enum setting_id)id) &&
		    !vocabulary_find(name, strlen(name)))
			help_option(0, name, argument, row->help);
	}
}

static void print_missing(const char *command)
{
	struct textbuf line = {0};

	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];

		if (row->kind == NOT_BUILT_OPTION && not_built_option(command, row->name) == row)
			textbuf_format(&line, "%s--%s", line.length ? " " : "", row->name);
	}
	printf("\nknown, but not in this build:\n  ");
	if (!line.has_failed)
		help_wrapped(line.data, 2);
	textbuf_release(&line);
}

static void print_topics(const struct vocabulary_about *about)
{
	struct textbuf line = {0};

	textbuf_format(&line, "'%s --help=TOPIC' shows one topic:", about->command);
	if (about->dialect)
		textbuf_format(&line, " %s", about->dialect->topic);
	for (int group = 0; group < GROUP_COUNT; group++)
		if (has_rows(group))
			textbuf_format(&line, " %s", groups[group].topic);
	textbuf_text(&line, ", or all");
	putchar('\n');
	if (!line.has_failed)
		help_wrapped(line.data, 0);
	textbuf_release(&line);
}

static enum kymo_status help_topic(const struct vocabulary_about *about, const char *topic,
				   struct problem *problem)
{
	struct textbuf topics = {0};

	if (about->dialect && strcmp(about->dialect->topic, topic) == 0) {
		print_dialect(about->dialect);
		return KYMO_OK;
	}
	if (about->dialect)
		textbuf_format(&topics, "%s, ", about->dialect->topic);
	for (int group = 0; group < GROUP_COUNT; group++) {
		if (!has_rows(group))
			continue;
		if (strcmp(groups[group].topic, topic) == 0) {
			textbuf_release(&topics);
			print_group(group, about->dialect);
			return KYMO_OK;
		}
		textbuf_format(&topics, "%s, ", groups[group].topic);
	}
	problem_set(problem, KYMO_USAGE, "there is no help on '%s', only on %sall", topic,
		    topics.has_failed ? "" : topics.data);
	textbuf_release(&topics);
	return KYMO_USAGE;
}

/* A command with options of its own prints these, and the topics of the others. */
enum kymo_status vocabulary_help(const struct vocabulary_about *about, const char *topic,
				 struct problem *problem)
{
	bool is_all = strcmp(topic, "all") == 0;

	if (topic[0] && !is_all)
		return help_topic(about, topic, problem);
	printf("usage: %s %s\n\n", about->command, about->usage);
	help_wrapped(about->description, 0);
	if (about->dialect)
		print_dialect(about->dialect);
	for (int group = 0; group < GROUP_COUNT; group++)
		if (has_rows(group) && (is_all || !about->dialect))
			print_group(group, about->dialect);
	if (is_all) {
		print_settings();
		print_missing(about->command);
	} else {
		print_topics(about);
	}
	return KYMO_OK;
}
