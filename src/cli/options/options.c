/* A small parser of options over one table a command. */
#include "cli/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/suggest.h"
#include "cli/options/help_text.h"

struct parser {
	const struct option_table *table;
	int argc;
	char **argv;
	int next; /* argument to be read */
	struct problem *problem;
};

static enum kymo_status refuse_value(struct parser *parser, const struct option_row *row,
				     const char *value, const char *wanted)
{
	return problem_set(parser->problem, KYMO_USAGE, "--%s takes %s, not '%s'", row->name,
			   wanted, value);
}

static enum kymo_status set_count(struct parser *parser, const struct option_row *row,
				  const char *value)
{
	uint64_t *target = row->target;
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return refuse_value(parser, row, value, "a whole number");
	*target = number;
	return KYMO_OK;
}

static enum kymo_status set_choice(struct parser *parser, const struct option_row *row,
				   const char *value)
{
	unsigned int *target = row->target;
	size_t length = strlen(value);
	unsigned int index = 0;
	char wanted[256];

	for (const char *choice = row->argument; choice; index++) {
		const char *comma = strchr(choice, ',');
		size_t size = comma ? (size_t)(comma - choice) : strlen(choice);

		if (size == length && strncmp(choice, value, size) == 0) {
			*target = index;
			return KYMO_OK;
		}
		choice = comma ? comma + 1 : NULL;
	}
	snprintf(wanted, sizeof(wanted), "one of %s", row->argument);
	return refuse_value(parser, row, value, wanted);
}

static enum kymo_status add_word(struct parser *parser, const struct option_row *row,
				 const char *value)
{
	struct option_words *words = row->target;

	if (words->count == OPTION_WORDS_MAX)
		return problem_set(parser->problem, KYMO_USAGE, "--%s takes at most %d values",
				   row->name, OPTION_WORDS_MAX);
	words->items[words->count++] = value;
	return KYMO_OK;
}

static enum kymo_status set_value(struct parser *parser, const struct option_row *row,
				  const char *value)
{
	switch (row->kind) {
	case OPTION_FLAG:
		break;
	case OPTION_TEXT:
		*(const char **)row->target = value;
		break;
	case OPTION_COUNT:
		return set_count(parser, row, value);
	case OPTION_CHOICE:
		return set_choice(parser, row, value);
	case OPTION_TEXTS:
	case OPTION_WORDS:
		return add_word(parser, row, value);
	}
	return KYMO_OK;
}

/* The arguments up to the next option, behind the one just taken. */
static enum kymo_status options_take_words(struct parser *parser, const struct option_row *row)
{
	enum kymo_status status = KYMO_OK;

	while (status == KYMO_OK && parser->next < parser->argc &&
	       (parser->argv[parser->next][0] != '-' || parser->argv[parser->next][1] == '\0'))
		status = add_word(parser, row, parser->argv[parser->next++]);
	return status;
}

/* attached: the value in the same argument, NULL = none. */
static enum kymo_status options_apply(struct parser *parser, const struct option_row *row,
				      const char *attached)
{
	bool is_attached = attached != NULL;
	enum kymo_status status;

	if (row->kind == OPTION_FLAG) {
		if (attached)
			return problem_set(parser->problem, KYMO_USAGE, "--%s takes no value",
					   row->name);
		*(bool *)row->target = true;
		return KYMO_OK;
	}
	if (!attached) {
		if (parser->next >= parser->argc)
			return problem_set(parser->problem, KYMO_USAGE, "--%s needs a value",
					   row->name);
		attached = parser->argv[parser->next++];
	}
	status = set_value(parser, row, attached);
	if (status == KYMO_OK && row->kind == OPTION_WORDS && !is_attached)
		status = options_take_words(parser, row);
	return status;
}

static enum kymo_status unknown_option(struct parser *parser, const char *option)
{
	struct suggestion search;
	char name[SUGGEST_NAME_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option + 2, "="), option + 2);
	suggest_begin(&search, name);
	for (size_t i = 0; i < parser->table->row_count; i++)
		suggest_offer(&search, parser->table->rows[i].name);
	if (search.best)
		return problem_set(parser->problem, KYMO_USAGE,
				   "unknown option '%s'; did you mean '--%s'?", option,
				   search.best);
	return problem_set(parser->problem, KYMO_USAGE, "unknown option '%s'; see '%s --help'",
			   option, parser->table->command);
}

static enum kymo_status options_parse_long(struct parser *parser, const char *option)
{
	size_t length = strcspn(option + 2, "=");
	const char *attached = option[2 + length] ? option + 3 + length : NULL;

	for (size_t i = 0; i < parser->table->row_count; i++) {
		const struct option_row *row = &parser->table->rows[i];

		if (strlen(row->name) == length && strncmp(row->name, option + 2, length) == 0)
			return options_apply(parser, row, attached);
	}
	return unknown_option(parser, option);
}

static const struct option_row *options_find_letter(const struct option_table *table, char letter)
{
	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].letter == letter)
			return &table->rows[i];
	}
	return NULL;
}

/* Letters of flags may be joined; one with a value ends the argument. */
static enum kymo_status options_parse_letters(struct parser *parser, const char *letters)
{
	for (; *letters; letters++) {
		const struct option_row *row = options_find_letter(parser->table, *letters);
		enum kymo_status status;

		if (!row)
			return problem_set(parser->problem, KYMO_USAGE,
					   "unknown option '-%c'; see '%s --help'", *letters,
					   parser->table->command);
		if (row->kind != OPTION_FLAG)
			return options_apply(parser, row, letters[1] ? letters + 1 : NULL);
		status = options_apply(parser, row, NULL);
		if (status < 0)
			return status;
	}
	return KYMO_OK;
}

static void options_print_row(const struct option_row *row)
{
	char choices[256];
	const char *argument = row->kind == OPTION_FLAG	    ? ""
			       : row->kind == OPTION_CHOICE ? "WORD"
							    : row->argument;

	help_option(row->letter, row->name, argument, row->help);
	if (row->kind != OPTION_CHOICE)
		return;
	snprintf(choices, sizeof(choices), "(%s)", row->argument);
	help_more(choices);
}

static void print_help(const struct option_table *table)
{
	static const struct option_row help = {'h',  "help", OPTION_FLAG,
					       NULL, NULL,   "Show this help"};

	printf("usage: %s %s\n\n", table->command, table->usage);
	help_wrapped(table->description, 0);
	printf("\noptions:\n");
	for (size_t i = 0; i < table->row_count; i++)
		options_print_row(&table->rows[i]);
	options_print_row(&help);
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

enum options_result options_parse(const struct option_table *table, int *argc, char **argv,
				  struct problem *problem)
{
	struct parser parser = {table, *argc, argv, 1, problem};
	bool has_ended = false;
	int kept = 0;

	while (parser.next < parser.argc) {
		char *argument = argv[parser.next++];
		enum kymo_status status = KYMO_OK;

		if (has_ended || argument[0] != '-' || argument[1] == '\0') {
			argv[kept++] = argument;
		} else if (is_help(argument)) {
			print_help(table);
			return OPTIONS_HELPED;
		} else if (strcmp(argument, "--") == 0) {
			has_ended = true;
		} else if (argument[1] == '-') {
			status = options_parse_long(&parser, argument);
		} else {
			status = options_parse_letters(&parser, argument + 1);
		}
		if (status < 0)
			return OPTIONS_FAILED;
	}
	*argc = kept;
	return OPTIONS_PARSED;
}
