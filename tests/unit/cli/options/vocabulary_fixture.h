/* Command lines of a command that has the vocabulary, parsed: for tests of its parts. */
#ifndef KYMO_VOCABULARY_FIXTURE_H
#define KYMO_VOCABULARY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"
#include "cli/options/vocabulary.h"

#define COMMAND	  "kymo run"
#define WORDS_MAX 16

struct line { /* a command line, parsed */
	struct vocabulary_request request;
	struct problem problem;
	enum kymo_status status;
	int argc;
};

/* words: separated by blanks.  vocabulary_request_release() the request. */
static inline void parse(struct line *line, const char *words)
{
	static char copy[1024];
	char *argv[WORDS_MAX + 1] = {(char *)"run"}, *word, *rest;

	snprintf(copy, sizeof(copy), "%s", words);
	line->argc = 1;
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[line->argc++] = word;
	line->problem.text[0] = '\0';
	line->status = options_parse_program(COMMAND, NULL, line->argc, argv, &line->request,
					     &line->problem);
}

/* What the options choose, "NAME=VALUE " for each setting, in the order of the table. */
static inline void assert_choices(const char *words, const char *expected)
{
	char found[1024] = "";
	struct line line;

	parse(&line, words);
	if (line.status != KYMO_OK)
		fail_msg("%s: %s", words, line.problem.text);
	for (int id = 0; id < SETTING_COUNT; id++) {
		size_t used = strlen(found);

		if (line.request.choices[id].value)
			snprintf(found + used, sizeof(found) - used, "%s=%s ",
				 setting_table[id].name, line.request.choices[id].value);
	}
	assert_string_equal(found, expected);
	vocabulary_request_release(&line.request);
}

#endif
