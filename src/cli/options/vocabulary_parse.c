/* Reads a command line up to where the program begins.
 *
 * Where that is must be certain: an option takes a word beyond its first only where a "--"
 * follows, which then is what the program begins behind.  `kymo run -o out sh` runs sh, and
 * `kymo run -o out my- -- sh` has a prefix. */
#include "cli/options/vocabulary_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/listitem.h"
#include "base/text/suggest.h"
#include "cli/options/vocabulary.h"
#include "cli/options/vocabulary_given.h"

struct parser {
	const char *command;
	const struct vocabulary_dialect *dialect; /* NULL = none */
	int argc;
	char **argv;
	int at;	       /* word to be read */
	int separator; /* of the first "--"; argc = none */
	struct given_list given;
	struct problem *problem;
};

struct option { /* one that was recognised */
	const struct vocabulary_row *row;
	enum setting_id id;
	enum vocabulary_arity arity;
	const char *shown;    /* "--output" as the user wrote it, for problems */
	const char *attached; /* the value in the same word; NULL = none */
	bool is_joined;	      /* more letters follow: the next word is not its own */
};

static enum kymo_status parse_out_of_memory(struct parser *parser)
{
	return problem_set(parser->problem, KYMO_MEMORY, "out of memory");
}

static bool parse_is_number(const char *word)
{
	word += *word == '-';
	return isdigit((unsigned char)*word) && word[strspn(word, "0123456789.")] == '\0';
}

static bool is_switch_word(const struct parser *parser, const char *word)
{
	static const char *const certain[] = {"on", "off"};
	static const char *const possible[] = {"yes", "no", "true", "false", "t",
					       "f",   "y",  "n",    "1",     "0"};

	for (size_t i = 0; i < sizeof(certain) / sizeof(*certain); i++)
		if (strcasecmp(word, certain[i]) == 0)
			return true;
	/* These may be programs. */
	for (size_t i = 0; i < sizeof(possible) / sizeof(*possible); i++)
		if (strcasecmp(word, possible[i]) == 0)
			return parser->at < parser->separator && parser->separator < parser->argc;
	return false;
}

/* The next word, unless it is an option. */
static const char *parse_peek(const struct parser *parser)
{
	const char *word = parser->at < parser->argc ? parser->argv[parser->at] : "--";

	return word[0] == '-' && word[1] != '\0' && !parse_is_number(word) ? NULL : word;
}

static bool has_separator_ahead(const struct parser *parser)
{
	return parser->at < parser->separator && parser->separator < parser->argc;
}

static bool wants_more(const struct parser *parser, enum vocabulary_arity arity)
{
	if (!parse_peek(parser) || !has_separator_ahead(parser))
		return false;
	if (arity == ARITY_PAIR) /* where three words stand, the second may be the program */
		return parser->argv[parser->at + 1][0] == '-';
	return arity == ARITY_LIST || arity == ARITY_PATHS || arity == ARITY_ITEMS;
}

/* True when the word is one of those that "a|b|c" lists. */
static bool is_choice(const char *choices, const char *word)
{
	size_t length = strlen(word);

	for (; *choices; choices += *choices == '|') {
		size_t size = strcspn(choices, "|");

		if (size == length && memcmp(choices, word, size) == 0)
			return true;
		choices += size;
	}
	return false;
}

/* True when all that the word lists, separated by commas, are words of the option. */
static bool is_own_word(const struct vocabulary_row *row, const char *word)
{
	const char *owner = vocabulary_word_owner(row), *item;
	size_t length;

	while (listitem_next(&word, &item, &length)) {
		bool is_known = false;

		for (size_t i = 0; i < vocabulary_word_count && !is_known; i++)
			is_known = strcmp(vocabulary_words[i].option, owner) == 0 &&
				   strlen(vocabulary_words[i].word) == length &&
				   memcmp(vocabulary_words[i].word, item, length) == 0;
		if (!is_known)
			return false;
	}
	return true;
}

/* Numbers and names of events are no programs. */
static bool is_surely_value(const char *word)
{
	return parse_is_number(word) || strstr(word, "::") || strncmp(word, "PAPI_", 5) == 0 ||
	       strncmp(word, "PERF_COUNT_", 11) == 0;
}

/* Options that may stand without any word: what follows is theirs only where that is sure. */
static enum kymo_status take_possible_words(struct parser *parser, const struct option *option,
					    struct given *given)
{
	const char *word = option->attached;

	if (word && !given_word(given, word))
		return parse_out_of_memory(parser);
	while (!option->attached && !option->is_joined && (word = parse_peek(parser)) != NULL &&
	       parser->at < parser->argc && parser->at != parser->separator) {
		bool is_own = option->arity == ARITY_WORDS
				      ? is_own_word(option->row, word)
				      : has_separator_ahead(parser) ||
						(given->word_count == 0 && is_surely_value(word));

		if (!is_own)
			break;
		if (!given_word(given, word))
			return parse_out_of_memory(parser);
		parser->at++;
	}
	return KYMO_OK;
}

/* The words behind the option's own. */
static enum kymo_status parse_take_words(struct parser *parser, const struct option *option,
					 struct given *given)
{
	const char *word =
		option->attached || option->is_joined ? option->attached : parse_peek(parser);

	switch (option->arity) {
	case ARITY_NONE:
	case ARITY_OPTIONAL:
		word = option->attached;
		break;
	case ARITY_NUMBER:
		word = word && parse_is_number(word) ? word : NULL;
		break;
	case ARITY_CHOICE:
		if (option->attached && !is_choice(option->row->argument, option->attached))
			return problem_set(parser->problem, KYMO_USAGE, "%s takes %s, not '%s'",
					   option->shown, option->row->argument, option->attached);
		word = word && is_choice(option->row->argument, word) ? word : NULL;
		break;
	case ARITY_SWITCH:
		word = option->attached || (word && is_switch_word(parser, word)) ? word : NULL;
		break;
	default:
		if (!word)
			return problem_set(parser->problem, KYMO_USAGE, "%s needs a value",
					   option->shown);
	}
	if (!word && option->arity == ARITY_NUMBER)
		return given_word(given, "1") ? KYMO_OK : parse_out_of_memory(parser);
	if (!word && option->arity == ARITY_SWITCH)
		return given_word(given, "ON") ? KYMO_OK : parse_out_of_memory(parser);
	if (!word)
		return KYMO_OK;
	if (!given_word(given, word))
		return parse_out_of_memory(parser);
	parser->at += !option->attached;
	while (!option->attached && wants_more(parser, option->arity)) {
		if (!given_word(given, parser->argv[parser->at++]))
			return parse_out_of_memory(parser);
		if (option->arity == ARITY_PAIR)
			break;
	}
	return KYMO_OK;
}

static enum kymo_status parse_take(struct parser *parser, const struct option *option)
{
	bool keeps_words = option->arity == ARITY_LIST || option->arity == ARITY_PATHS ||
			   option->arity == ARITY_WORDS || option->arity == ARITY_ITEMS;
	struct given *given;

	if (option->row && option->row->action == ACTION_NEEDLESS)
		return problem_set(parser->problem, KYMO_USAGE, "'--%s' is not needed: %s",
				   option->row->name, option->row->needs);
	if (option->row && option->row->needs && option->row->action != ACTION_NOTED)
		return problem_set(parser->problem, KYMO_USAGE,
				   "'--%s' needs %s, which this build does not have",
				   option->row->name, option->row->needs);
	if (option->attached && option->arity == ARITY_NONE)
		return problem_set(parser->problem, KYMO_USAGE, "%s takes no value", option->shown);
	if (option->attached && option->arity == ARITY_NUMBER && !parse_is_number(option->attached))
		return problem_set(parser->problem, KYMO_USAGE, "%s takes a number, not '%s'",
				   option->shown, option->attached);
	given = given_take(&parser->given, option->row, option->id, keeps_words);
	if (!given)
		return parse_out_of_memory(parser);
	if (option->arity == ARITY_WORDS || option->arity == ARITY_SERIES)
		return take_possible_words(parser, option, given);
	return parse_take_words(parser, option, given);
}

static const struct vocabulary_row *parse_find_own(const struct parser *parser, const char *name)
{
	for (size_t i = 0; parser->dialect && i < parser->dialect->count; i++)
		if (strcmp(parser->dialect->rows[i].row.name, name) == 0)
			return &parser->dialect->rows[i].row;
	return NULL;
}

static const struct vocabulary_row *parse_find_letter(const struct parser *parser, char letter)
{
	for (size_t i = 0; parser->dialect && i < parser->dialect->count; i++)
		if (parser->dialect->rows[i].row.letter == letter)
			return &parser->dialect->rows[i].row;
	return vocabulary_find_letter(letter);
}

/* The option of two letters that the word begins with. */
static const struct vocabulary_row *find_letters(const struct parser *parser, const char *letters)
{
	for (size_t i = 0; parser->dialect && i < parser->dialect->count; i++) {
		const struct vocabulary_own *own = &parser->dialect->rows[i];

		if (own->letters && strncmp(own->letters, letters, 2) == 0)
			return &own->row;
	}
	return NULL;
}

static enum kymo_status refuse_long(struct parser *parser, const char *name)
{
	struct suggestion search;
	char spelled[SUGGEST_NAME_MAX + 1], best[SUGGEST_NAME_MAX + 1] = "";
	size_t distance = 0;

	suggest_begin(&search, name);
	for (size_t i = 0; parser->dialect && i < parser->dialect->count; i++)
		if (!parser->dialect->rows[i].row.needs)
			suggest_offer(&search, parser->dialect->rows[i].row.name);
	for (size_t i = 0; i < vocabulary_count; i++)
		if (!vocabulary_table[i].needs)
			suggest_offer(&search, vocabulary_table[i].name);
	if (search.best)
		snprintf(best, sizeof(best), "%s", search.best);
	distance = search.distance;
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (!vocabulary_is_option((enum setting_id)id))
			continue;
		vocabulary_spell((enum setting_id)id, spelled, sizeof(spelled));
		suggest_offer(&search, spelled);
		if (search.distance < distance) /* the candidate's text lives no longer */
			snprintf(best, sizeof(best), "%s", spelled);
		distance = search.distance;
	}
	if (best[0])
		return problem_set(parser->problem, KYMO_USAGE,
				   "unknown option '--%s'; did you mean '--%s'?", name, best);
	return problem_set(parser->problem, KYMO_USAGE, "unknown option '--%s'; see '%s --help'",
			   name, parser->command);
}

static enum vocabulary_arity arity_of_setting(int id)
{
	if (id == SET_CONFIG_FILE)
		return ARITY_PATHS;
	if (setting_table[id].type == SETTING_BOOL)
		return ARITY_SWITCH;
	return setting_table[id].type == SETTING_LIST ? ARITY_LIST : ARITY_ONE;
}

static enum kymo_status vocabulary_parse_long(struct parser *parser, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	struct option option = {.attached = word[2 + length] ? word + 3 + length : NULL};
	char shown[104], name[96];
	int id;

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	snprintf(shown, sizeof(shown), "--%s", name);
	option.shown = shown;
	option.row = parse_find_own(parser, name);
	if (!option.row)
		option.row = vocabulary_find(name, strlen(name));
	if (option.row) {
		option.arity = option.row->arity;
		return parse_take(parser, &option);
	}
	id = settings_find(name);
	if (id < 0 || (!vocabulary_is_option((enum setting_id)id) && id != SET_RUN_DIR) ||
	    strchr(name, '_'))
		return refuse_long(parser, name);
	option.id = (enum setting_id)id;
	option.arity = arity_of_setting(id);
	return parse_take(parser, &option);
}

/* True when the letters behind that of the option are its value. */
static bool takes_rest(const struct option *option, const char *rest)
{
	if (option->arity == ARITY_NONE || option->arity == ARITY_OPTIONAL || !*rest)
		return false;
	if (option->arity == ARITY_WORDS)
		return is_own_word(option->row, rest);
	return option->arity != ARITY_NUMBER || parse_is_number(rest);
}

/* An option of two letters, its value in the same word or behind it. */
static enum kymo_status parse_two_letters(struct parser *parser, const struct vocabulary_row *row,
					  const char *letters)
{
	char shown[] = {'-', letters[0], letters[1], '\0'};
	struct option option = {.row = row,
				.arity = row->arity,
				.shown = shown,
				.attached = letters[2] ? letters + 2 + (letters[2] == '=') : NULL};

	return parse_take(parser, &option);
}

/* Letters of options without value may be joined; one with a value ends the word. */
static enum kymo_status vocabulary_parse_letters(struct parser *parser, const char *letters)
{
	const struct vocabulary_row *two = find_letters(parser, letters);
	enum kymo_status status = KYMO_OK;

	if (two)
		return parse_two_letters(parser, two, letters);
	for (; *letters && status == KYMO_OK; letters++) {
		char shown[] = {'-', *letters, '\0'};
		struct option option = {
			.row = parse_find_letter(parser, *letters == '?' ? 'h' : *letters),
			.shown = shown};
		bool has_value;

		if (!option.row)
			return problem_set(parser->problem, KYMO_USAGE,
					   "unknown option '-%c'; see '%s --help'", *letters,
					   parser->command);
		option.arity = option.row->arity;
		has_value = takes_rest(&option, letters + 1);
		if (has_value)
			option.attached = letters + 1;
		option.is_joined = !has_value && letters[1];
		status = parse_take(parser, &option);
		if (has_value)
			break;
	}
	return status;
}

static enum kymo_status parse_options(struct parser *parser)
{
	enum kymo_status status = KYMO_OK;

	while (status == KYMO_OK && parser->at < parser->argc && parser->at != parser->separator &&
	       parser->argv[parser->at][0] == '-' && parser->argv[parser->at][1] != '\0') {
		const char *word = parser->argv[parser->at++];

		status = word[1] == '-' ? vocabulary_parse_long(parser, word)
					: vocabulary_parse_letters(parser, word + 1);
	}
	return status;
}

enum kymo_status vocabulary_parse(const char *command, const struct vocabulary_dialect *dialect,
				  int argc, char **argv, struct vocabulary_request *request,
				  struct problem *problem)
{
	struct parser parser = {.command = command,
				.dialect = dialect,
				.argc = argc,
				.argv = argv,
				.at = 1,
				.separator = 1,
				.problem = problem};
	enum kymo_status status;

	*request = (struct vocabulary_request){0};
	while (parser.separator < argc && strcmp(argv[parser.separator], "--") != 0)
		parser.separator++;
	status = parse_options(&parser);
	request->option_end = (size_t)parser.at;
	request->program =
		(size_t)(parser.at + (parser.at == parser.separator && parser.at < argc));
	if (status == KYMO_OK)
		status = given_check(&parser.given, problem);
	if (status == KYMO_OK)
		status = given_apply(&parser.given, request, problem);
	given_release(&parser.given);
	return status;
}

void vocabulary_request_release(struct vocabulary_request *request)
{
	for (int id = 0; id < SETTING_COUNT; id++)
		free(request->choices[id].value);
	for (size_t i = 0; i < VOCABULARY_OWN_MAX; i++)
		free(request->own[i].items);
}
