/* The one parser of options.
 *
 * Before a program the parser must be certain where the program begins: an option takes a second
 * word only if a "--" follows, after which the program begins.  `kymo run -o out sh` runs sh, and
 * `kymo run -o out my- -- sh` has a prefix. */
#include "cli/options/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/listitem.h"
#include "base/text/suggest.h"
#include "cli/options/help_text.h"
#include "cli/options/not_built.h"
#include "cli/options/option_target.h"
#include "cli/options/vocabulary.h"
#include "cli/options/vocabulary_given.h"

struct parser {
	const char *command;
	const struct option_table *table;	  /* of a command that reads; NULL = it records */
	const struct vocabulary_dialect *dialect; /* of one that records; NULL = none */
	int argc;
	char **argv;
	int at;	       /* next word */
	int separator; /* before a program: index of the first "--"; argc = none */
	struct given_list given;
	struct problem *problem;
};

struct option {				      /* a recognised option */
	const struct option_row *row;	      /* NULL: a setting */
	const struct vocabulary_row *meaning; /* of a row without target */
	enum setting_id id;
	enum option_kind kind;
	const char *shown;    /* "--output" as the user wrote it, for problems */
	const char *attached; /* the value in the same word; NULL = none */
	bool is_joined;	      /* more letters follow: the next word is not its value */
};

/* The i-th row that the command knows, its own ones first.  False after the last. */
static bool parse_row(const struct parser *parser, size_t i, struct option *out)
{
	size_t own = parser->dialect ? parser->dialect->count : 0;

	if (i >= (parser->table ? parser->table->row_count : own + vocabulary_count))
		return false;
	*out = (struct option){0};
	if (!parser->table)
		out->meaning = i < own ? &parser->dialect->rows[i] : &vocabulary_table[i - own];
	out->row = out->meaning ? &out->meaning->option : &parser->table->rows[i];
	out->kind = out->row->kind;
	return true;
}

static bool is_option_word(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

static enum kymo_status parse_out_of_memory(struct parser *parser)
{
	return problem_set(parser->problem, KYMO_MEMORY, "out of memory");
}

static enum kymo_status parse_without_value(struct parser *parser, const struct option *option)
{
	/* Without a target it is named as the user wrote it. */
	if (parser->table)
		return problem_set(parser->problem, KYMO_USAGE, "--%s needs a value",
				   option->row->name);
	return problem_set(parser->problem, KYMO_USAGE, "%s needs a value", option->shown);
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

	return is_option_word(word) && !parse_is_number(word) ? NULL : word;
}

static bool has_separator_ahead(const struct parser *parser)
{
	return parser->at < parser->separator && parser->separator < parser->argc;
}

static bool wants_more(const struct parser *parser, enum option_kind kind)
{
	if (!parse_peek(parser) || !has_separator_ahead(parser))
		return false;
	if (kind == OPTION_PAIR) /* of two words before a "--", the second may be the program */
		return parser->argv[parser->at + 1][0] == '-';
	return kind == OPTION_LIST || kind == OPTION_PATHS || kind == OPTION_ITEMS;
}

/* Whether "a|b|c" contains the word. */
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

/* Whether all items of the word, separated by commas, are words of the option. */
static bool is_own_word(const struct vocabulary_row *row, const char *word)
{
	const char *owner = vocabulary_word_owner(row), *item;
	size_t length;

	while (listitem_next(&word, &item, &length)) {
		bool is_known = not_built_word(owner, item, length) != NULL;

		for (size_t i = 0; i < vocabulary_word_count && !is_known; i++)
			is_known = strcmp(vocabulary_words[i].option, owner) == 0 &&
				   strlen(vocabulary_words[i].word) == length &&
				   memcmp(vocabulary_words[i].word, item, length) == 0;
		if (!is_known)
			return false;
	}
	return true;
}

/* Numbers and names of events cannot be programs. */
static bool is_surely_value(const char *word)
{
	return parse_is_number(word) || strstr(word, "::") || strncmp(word, "PAPI_", 5) == 0 ||
	       strncmp(word, "PERF_COUNT_", 11) == 0;
}

/* Options that may have no word: the next one is theirs only if it cannot be the program. */
static enum kymo_status take_possible_words(struct parser *parser, const struct option *option,
					    struct given *given)
{
	const char *word = option->attached;

	if (word && !given_word(given, word))
		return parse_out_of_memory(parser);
	while (!option->attached && !option->is_joined && (word = parse_peek(parser)) != NULL &&
	       parser->at < parser->argc && parser->at != parser->separator) {
		bool is_own = option->kind == OPTION_OWN_WORDS
				      ? is_own_word(option->meaning, word)
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

/* The words after the option. */
static enum kymo_status parse_take_words(struct parser *parser, const struct option *option,
					 struct given *given)
{
	const char *word =
		option->attached || option->is_joined ? option->attached : parse_peek(parser);

	switch (option->kind) {
	case OPTION_FLAG:
	case OPTION_OPTIONAL:
		word = option->attached;
		break;
	case OPTION_NUMBER:
		word = word && parse_is_number(word) ? word : NULL;
		break;
	case OPTION_ONE_OF:
		if (option->attached && !is_choice(option->row->argument, option->attached))
			return problem_set(parser->problem, KYMO_USAGE, "%s takes %s, not '%s'",
					   option->shown, option->row->argument, option->attached);
		word = word && is_choice(option->row->argument, word) ? word : NULL;
		break;
	case OPTION_SWITCH:
		word = option->attached || (word && is_switch_word(parser, word)) ? word : NULL;
		break;
	default:
		if (!word)
			return parse_without_value(parser, option);
	}
	if (!word && option->kind == OPTION_NUMBER)
		return given_word(given, "1") ? KYMO_OK : parse_out_of_memory(parser);
	if (!word && option->kind == OPTION_SWITCH)
		return given_word(given, "ON") ? KYMO_OK : parse_out_of_memory(parser);
	if (!word)
		return KYMO_OK;
	if (!given_word(given, word))
		return parse_out_of_memory(parser);
	parser->at += !option->attached;
	while (!option->attached && wants_more(parser, option->kind)) {
		if (!given_word(given, parser->argv[parser->at++]))
			return parse_out_of_memory(parser);
		if (option->kind == OPTION_PAIR)
			break;
	}
	return KYMO_OK;
}

/* The value is stored at once: if several are invalid, the first one is reported. */
static enum kymo_status parse_take_target(struct parser *parser, const struct option *option)
{
	const char *word = option->attached;
	enum kymo_status status;

	if (!word && option->kind != OPTION_FLAG) {
		if (parser->at >= parser->argc)
			return parse_without_value(parser, option);
		word = parser->argv[parser->at++];
	}
	status = option_target_set(option->row, word, parser->problem);
	if (option->kind != OPTION_WORDS || option->attached)
		return status;
	while (status == KYMO_OK && parser->at < parser->argc &&
	       !is_option_word(parser->argv[parser->at]))
		status =
			option_target_set(option->row, parser->argv[parser->at++], parser->problem);
	return status;
}

/* Options that are refused whatever else is given. */
static enum kymo_status parse_refuse(struct parser *parser, const struct vocabulary_row *meaning)
{
	if (meaning->action == ACTION_NEEDLESS)
		return problem_set(parser->problem, KYMO_USAGE, "'--%s' is not needed: %s",
				   meaning->option.name, meaning->why);
	return KYMO_OK;
}

static enum kymo_status parse_take_given(struct parser *parser, const struct option *option)
{
	bool keeps_words = option->kind == OPTION_LIST || option->kind == OPTION_PATHS ||
			   option->kind == OPTION_OWN_WORDS || option->kind == OPTION_ITEMS;
	struct given *given = given_take(&parser->given, option->meaning, option->id, keeps_words);

	if (!given)
		return parse_out_of_memory(parser);
	if (option->kind == OPTION_OWN_WORDS || option->kind == OPTION_SERIES)
		return take_possible_words(parser, option, given);
	return parse_take_words(parser, option, given);
}

static enum kymo_status parse_take(struct parser *parser, const struct option *option)
{
	if (option->meaning && parse_refuse(parser, option->meaning) != KYMO_OK)
		return KYMO_USAGE;
	if (option->attached && option->kind == OPTION_FLAG)
		return problem_set(parser->problem, KYMO_USAGE, "%s takes no value", option->shown);
	if (option->attached && option->kind == OPTION_NUMBER && !parse_is_number(option->attached))
		return problem_set(parser->problem, KYMO_USAGE, "%s takes a number, not '%s'",
				   option->shown, option->attached);
	return parser->table ? parse_take_target(parser, option) : parse_take_given(parser, option);
}

static bool parse_find_long(const struct parser *parser, const char *name, struct option *out)
{
	for (size_t i = 0; parse_row(parser, i, out); i++)
		if (strcmp(out->row->name, name) == 0)
			return true;
	return false;
}

static bool parse_find_letter(const struct parser *parser, char letter, struct option *out)
{
	for (size_t i = 0; parse_row(parser, i, out); i++)
		if (out->row->letter == letter)
			return true;
	return false;
}

/* The option of two letters with which the word begins. */
static bool parse_find_letters(const struct parser *parser, const char *letters, struct option *out)
{
	for (size_t i = 0; parse_row(parser, i, out); i++)
		if (out->meaning && out->meaning->letters &&
		    strncmp(out->meaning->letters, letters, 2) == 0)
			return true;
	return false;
}

/* Names of settings are generated: the best one is copied. */
static void suggest_settings(struct suggestion *search, char *best)
{
	char spelled[SUGGEST_NAME_MAX + 1];
	size_t distance = search->distance;

	for (int id = 0; id < SETTING_COUNT; id++) {
		if (!vocabulary_is_option((enum setting_id)id))
			continue;
		vocabulary_spell((enum setting_id)id, spelled, sizeof(spelled));
		suggest_offer(search, spelled);
		if (search->distance < distance)
			snprintf(best, SUGGEST_NAME_MAX + 1, "%s", spelled);
		distance = search->distance;
	}
}

/* shown: its name in the message, without dashes. */
static enum kymo_status refuse_long(struct parser *parser, const char *name, const char *shown)
{
	struct suggestion search;
	struct option option;
	char best[SUGGEST_NAME_MAX + 1] = "";
	const struct not_built *absent =
		parser->table ? NULL : not_built_option(parser->command, name);

	if (absent)
		return not_built_refuse(absent, parser->problem);
	suggest_begin(&search, name);
	for (size_t i = 0; parse_row(parser, i, &option); i++)
		if (!option.meaning || !option.meaning->why)
			suggest_offer(&search, option.row->name);
	if (search.best)
		snprintf(best, sizeof(best), "%s", search.best);
	if (!parser->table)
		suggest_settings(&search, best);
	if (best[0])
		return problem_set(parser->problem, KYMO_USAGE,
				   "unknown option '--%s'; did you mean '--%s'?", shown, best);
	return problem_set(parser->problem, KYMO_USAGE, "unknown option '--%s'; see '%s --help'",
			   shown, parser->command);
}

static enum option_kind kind_of_setting(enum setting_id id)
{
	if (id == SET_CONFIG_FILE)
		return OPTION_PATHS;
	if (setting_table[id].type == SETTING_BOOL)
		return OPTION_SWITCH;
	return setting_table[id].type == SETTING_LIST ? OPTION_LIST : OPTION_ONE;
}

static bool parse_find_setting(const struct parser *parser, const char *name, struct option *out)
{
	int id = parser->table ? -1 : settings_find(name);

	if (id < 0 || strchr(name, '_') ||
	    (!vocabulary_is_option((enum setting_id)id) && id != SET_RUN_DIR))
		return false;
	*out = (struct option){.id = (enum setting_id)id,
			       .kind = kind_of_setting((enum setting_id)id)};
	return true;
}

static enum kymo_status parse_long(struct parser *parser, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	char shown[104], name[96];
	struct option option;

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	snprintf(shown, sizeof(shown), "--%s", name);
	if (!parse_find_long(parser, name, &option) && !parse_find_setting(parser, name, &option))
		return refuse_long(parser, name, parser->table ? word + 2 : name);
	option.attached = word[2 + length] ? word + 3 + length : NULL;
	option.shown = shown;
	return parse_take(parser, &option);
}

/* Whether the letters after that of the option are its value. */
static bool takes_rest(const struct option *option, const char *rest)
{
	if (option->kind == OPTION_FLAG || option->kind == OPTION_OPTIONAL || !*rest)
		return false;
	if (option->kind == OPTION_OWN_WORDS)
		return is_own_word(option->meaning, rest);
	return option->kind != OPTION_NUMBER || parse_is_number(rest);
}

/* An option of two letters, with its value in the same word or after it. */
static enum kymo_status parse_two_letters(struct parser *parser, struct option *option,
					  const char *letters)
{
	char shown[] = {'-', letters[0], letters[1], '\0'};

	option->shown = shown;
	option->attached = letters[2] ? letters + 2 + (letters[2] == '=') : NULL;
	return parse_take(parser, option);
}

static enum kymo_status refuse_letter(struct parser *parser, char letter)
{
	const struct not_built *absent =
		parser->table ? NULL : not_built_letter(parser->command, letter);

	if (absent)
		return not_built_refuse(absent, parser->problem);
	return problem_set(parser->problem, KYMO_USAGE, "unknown option '-%c'; see '%s --help'",
			   letter, parser->command);
}

/* Letters of options without value may be joined; one with a value ends the word. */
static enum kymo_status parse_letters(struct parser *parser, const char *letters)
{
	enum kymo_status status = KYMO_OK;
	bool has_value = false;
	struct option option;

	if (parse_find_letters(parser, letters, &option))
		return parse_two_letters(parser, &option, letters);
	for (; *letters && status == KYMO_OK && !has_value; letters++) {
		char shown[] = {'-', *letters, '\0'};
		char letter = *letters == '?' && !parser->table ? 'h' : *letters;

		if (!parse_find_letter(parser, letter, &option))
			return refuse_letter(parser, *letters);
		has_value = takes_rest(&option, letters + 1);
		option.shown = shown;
		option.attached = has_value ? letters + 1 : NULL;
		option.is_joined = !has_value && letters[1];
		status = parse_take(parser, &option);
	}
	return status;
}

static enum kymo_status parse_option(struct parser *parser, const char *word)
{
	return word[1] == '-' ? parse_long(parser, word) : parse_letters(parser, word + 1);
}

enum options_result options_parse(const struct option_table *table, int *argc, char **argv,
				  struct problem *problem)
{
	struct parser parser = {.command = table->command,
				.table = table,
				.argc = *argc,
				.argv = argv,
				.at = 1,
				.problem = problem};
	bool has_ended = false;
	int kept = 0;

	while (parser.at < parser.argc) {
		char *word = argv[parser.at++];

		if (has_ended || !is_option_word(word)) {
			argv[kept++] = word;
		} else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			help_table(table);
			return OPTIONS_HELPED;
		} else if (strcmp(word, "--") == 0) {
			has_ended = true;
		} else if (parse_option(&parser, word) < 0) {
			return OPTIONS_FAILED;
		}
	}
	*argc = kept;
	return OPTIONS_PARSED;
}

enum kymo_status options_parse_program(const char *command,
				       const struct vocabulary_dialect *dialect, int argc,
				       char **argv, struct vocabulary_request *request,
				       struct problem *problem)
{
	struct parser parser = {.command = command,
				.dialect = dialect,
				.argc = argc,
				.argv = argv,
				.at = 1,
				.separator = 1,
				.problem = problem};
	enum kymo_status status = KYMO_OK;

	*request = (struct vocabulary_request){0};
	while (parser.separator < argc && strcmp(argv[parser.separator], "--") != 0)
		parser.separator++;
	while (status == KYMO_OK && parser.at < argc && parser.at != parser.separator &&
	       is_option_word(argv[parser.at]))
		status = parse_option(&parser, argv[parser.at++]);
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
