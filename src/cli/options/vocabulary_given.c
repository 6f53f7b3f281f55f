/* From options to settings. Options apply in the order of the command line; a weak assignment,
 * such as --wait's to the delay of traces, yields to one by the setting's own option, at any
 * position. */
#include "cli/options/vocabulary_given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/listitem.h"
#include "base/text/textbuf.h"
#include "cli/options/not_built.h"

static const struct {
	const char *first, *second;
} conflicts[] = {
	{"profile", "flat-profile"},	     {"output-format", "trace"},
	{"output-format", "profile"},	     {"output-format", "flat-profile"},
	{"output-format", "profile-format"}, {"output-format", "mode"},
	{"list-presets", "explain"},	     {"list-presets", "export-config"},
	{"explain", "export-config"},
};

static enum kymo_status given_out_of_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

struct given *given_take(struct given_list *list, const struct vocabulary_row *row,
			 enum setting_id id, bool keeps_words)
{
	struct given entry = {.row = row, .id = id}, *items;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].row != row || list->items[i].id != id)
			continue;
		entry = list->items[i];
		list->count--;
		memmove(&list->items[i], &list->items[i + 1],
			(list->count - i) * sizeof(*list->items));
		break;
	}
	items = array_grow(list->items, &list->capacity, list->count + 1, sizeof(*items));
	if (!items)
		return NULL;
	list->items = items;
	if (!keeps_words)
		entry.word_count = 0;
	items[list->count] = entry;
	return &items[list->count++];
}

bool given_word(struct given *given, const char *word)
{
	const char **words = array_grow(given->words, &given->word_capacity, given->word_count + 1,
					sizeof(*words));

	if (!words)
		return false;
	given->words = words;
	words[given->word_count++] = word;
	return true;
}

const struct given *given_find(const struct given_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].row && strcmp(list->items[i].row->option.name, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

void given_release(struct given_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].words);
	free(list->items);
	*list = (struct given_list){0};
}

enum kymo_status given_check(const struct given_list *list, struct problem *problem)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++) {
		if (given_find(list, conflicts[i].first) && given_find(list, conflicts[i].second))
			return problem_set(problem, KYMO_USAGE, "--%s and --%s exclude each other",
					   conflicts[i].first, conflicts[i].second);
	}
	if (given_find(list, "rank-filter-id") && !given_find(list, "rank-filter-logs") &&
	    !given_find(list, "rank-filter-output"))
		return problem_set(problem, KYMO_USAGE,
				   "--rank-filter-id requires one of the options: "
				   "[--rank-filter-logs, --rank-filter-output]");
	return KYMO_OK;
}

/* How many settings get their values from the words. */
static size_t count_own(const struct vocabulary_row *row)
{
	const char *rest = row->effect;
	struct vocabulary_effect effect;
	size_t count = 0;

	while (vocabulary_effect_next(&rest, &effect))
		count += !effect.value;
	return count;
}

/* In quotes if a list would split the word. */
static void given_put_item(struct textbuf *text, const char *word)
{
	const char *quote = strchr(word, '"') ? "'" : "\"";

	if (!word[strcspn(word, " \t\n,;'\"")])
		quote = "";
	textbuf_format(text, "%s%s%s", quote, word, quote);
}

/* A word with both kinds of quotes cannot be an item of a list. */
static enum kymo_status check_items(const struct given *given, struct problem *problem)
{
	for (size_t i = 0; i < given->word_count; i++)
		if (strchr(given->words[i], '"') && strchr(given->words[i], '\''))
			return problem_set(problem, KYMO_USAGE,
					   "--%s takes no text with both kinds of quotes: '%s'",
					   given->row->option.name, given->words[i]);
	return KYMO_OK;
}

/* All words of an option in one text; for a pair and a series, those of its index-th setting: the
 * last one of a series gets the rest. */
static char *given_value_of(const struct given *given, size_t index)
{
	enum option_kind kind = given->row ? given->row->option.kind : OPTION_LIST;
	char separator = kind == OPTION_PATHS || given->id == SET_CONFIG_FILE ? ':' : ',';
	size_t first = 0, end = given->word_count;
	struct textbuf text = {0};

	if (kind == OPTION_PAIR || kind == OPTION_SERIES)
		first = index;
	if (kind == OPTION_PAIR || (kind == OPTION_SERIES && index + 1 < count_own(given->row)))
		end = first + 1;
	textbuf_text(&text, "");
	for (size_t i = first; i < end; i++) {
		if (i > first)
			textbuf_char(&text, separator);
		if (kind == OPTION_ITEMS)
			given_put_item(&text, given->words[i]);
		else
			textbuf_text(&text, given->words[i]);
	}
	return textbuf_take(&text);
}

static enum kymo_status choose_own(const struct given *given, size_t index, enum setting_id id,
				   bool is_weak, struct vocabulary_request *request,
				   struct problem *problem)
{
	bool is_one_each = given->row && (given->row->option.kind == OPTION_PAIR ||
					  given->row->option.kind == OPTION_SERIES);
	enum kymo_status status;
	char *value;

	if (given->word_count == 0 || (is_one_each && index >= given->word_count))
		return KYMO_OK;
	if (given->row && given->row->option.kind == OPTION_ITEMS &&
	    check_items(given, problem) != KYMO_OK)
		return KYMO_USAGE;
	value = given_value_of(given, index);
	if (!value)
		return given_out_of_memory(problem);
	status = vocabulary_choose(request, id, value, is_weak, problem);
	free(value);
	return status;
}

static enum kymo_status apply_settings(const struct given *given,
				       struct vocabulary_request *request, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	const char *rest = given->row->effect;
	struct vocabulary_effect effect;
	size_t own = 0;
	char value[64];

	while (status == KYMO_OK && vocabulary_effect_next(&rest, &effect)) {
		if (!effect.value) {
			status = choose_own(given, own++, effect.id, effect.is_weak, request,
					    problem);
			continue;
		}
		snprintf(value, sizeof(value), "%.*s", (int)effect.length, effect.value);
		status = vocabulary_choose(request, effect.id, value, effect.is_weak, problem);
	}
	return status;
}

/* Sets or clears what the word stands for: only booleans are set by words. */
static enum kymo_status apply_word(const struct vocabulary_word *word, bool is_on,
				   struct vocabulary_request *request, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	const char *rest = word->effect;
	struct vocabulary_effect effect;

	while (status == KYMO_OK && vocabulary_effect_next(&rest, &effect))
		status = vocabulary_choose(request, effect.id, is_on ? "ON" : "OFF", effect.is_weak,
					   problem);
	return status;
}

static enum kymo_status apply_all(const char *owner, bool is_on, struct vocabulary_request *request,
				  struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < vocabulary_word_count; i++) {
		if (strcmp(vocabulary_words[i].option, owner) == 0)
			status = apply_word(&vocabulary_words[i], is_on, request, problem);
	}
	return status;
}

static enum kymo_status refuse_word(const struct given *given, const char *owner, const char *item,
				    size_t length, struct problem *problem)
{
	struct textbuf words = {0};

	for (size_t i = 0; i < vocabulary_word_count; i++) {
		if (strcmp(vocabulary_words[i].option, owner) == 0)
			textbuf_format(&words, "%s%s", words.length ? ", " : "",
				       vocabulary_words[i].word);
	}
	problem_set(problem, KYMO_USAGE, "--%s takes %s, not '%.*s'", given->row->option.name,
		    words.has_failed ? "" : words.data, (int)length, item);
	textbuf_release(&words);
	return KYMO_USAGE;
}

static enum kymo_status apply_item(const struct given *given, const char *item, size_t length,
				   struct vocabulary_request *request, struct problem *problem)
{
	const char *owner = vocabulary_word_owner(given->row);
	bool is_on = given->row->action != ACTION_WORDS_EXCLUDE;
	const struct not_built *absent;

	for (size_t i = 0; i < vocabulary_word_count; i++) {
		const struct vocabulary_word *word = &vocabulary_words[i];

		if (strcmp(word->option, owner) != 0 || strlen(word->word) != length ||
		    memcmp(word->word, item, length) != 0)
			continue;
		if (strcmp(word->word, "all") == 0)
			return apply_all(owner, is_on, request, problem);
		return apply_word(word, is_on, request, problem);
	}
	/* Excluding what is not in this build is not an error. */
	absent = not_built_word(owner, item, length);
	if (absent)
		return is_on ? not_built_refuse(absent, problem) : KYMO_OK;
	return refuse_word(given, owner, item, length, problem);
}

static enum kymo_status apply_words(const struct given *given, struct vocabulary_request *request,
				    struct problem *problem)
{
	enum kymo_status status = apply_settings(given, request, problem);
	size_t length;

	if (status == KYMO_OK && given->row->action == ACTION_WORDS_EXACT)
		status = apply_all(given->row->option.name, false, request, problem);
	for (size_t i = 0; i < given->word_count; i++) {
		const char *rest = given->words[i], *item;

		while (status == KYMO_OK && listitem_next(&rest, &item, &length))
			status = apply_item(given, item, length, request, problem);
	}
	return status;
}

enum kymo_status vocabulary_choose(struct vocabulary_request *request, enum setting_id id,
				   const char *value, bool is_weak, struct problem *problem)
{
	struct vocabulary_choice *choice = &request->choices[id];
	char *copy;

	if (choice->value && is_weak && !choice->is_weak)
		return KYMO_OK;
	copy = strdup(value);
	if (!copy)
		return given_out_of_memory(problem);
	free(choice->value);
	*choice = (struct vocabulary_choice){copy, is_weak};
	return KYMO_OK;
}

/* The words are moved to the request. */
static void keep_own(struct given *given, struct vocabulary_request *request)
{
	struct vocabulary_words *words = &request->own[given->row->own];

	free(words->items);
	*words = (struct vocabulary_words){true, given->words, given->word_count};
	given->words = NULL;
}

static void note(const struct vocabulary_row *row, struct vocabulary_request *request)
{
	if (request->noted_count < VOCABULARY_NOTED_MAX)
		request->noted[request->noted_count++] = row;
}

enum kymo_status given_apply(struct given_list *list, struct vocabulary_request *request,
			     struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < list->count; i++) {
		struct given *given = &list->items[i];

		if (!given->row)
			status = choose_own(given, 0, given->id, false, request, problem);
		else if (given->row->action == ACTION_OWN)
			keep_own(given, request);
		else if (given->row->action == ACTION_NOTED)
			note(given->row, request);
		else if (given->row->action == ACTION_SET)
			status = apply_settings(given, request, problem);
		else if (given->row->action < ACTION_HELP)
			status = apply_words(given, request, problem);
		else
			request->actions[given->row->action] =
				given->word_count ? given->words[given->word_count - 1] : "";
	}
	return status;
}
