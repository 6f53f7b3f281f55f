/* What the tests of configuration files share: a sink that writes down what it is told. */
#ifndef KYMO_CONFIGFILE_FIXTURE_H
#define KYMO_CONFIGFILE_FIXTURE_H

#include "config/files/configfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"

struct journal { /* "KEY=value@line|" for each assignment, "!what@line|" for each complaint */
	struct textbuf text;
	bool is_lenient;
};

static inline enum kymo_status on_assign(void *object, const char *key, const char *value,
					 unsigned int line, struct problem *problem)
{
	struct journal *journal = object;

	(void)problem;
	textbuf_format(&journal->text, "%s=%s@%u|", key, value, line);
	return KYMO_OK;
}

static inline enum kymo_status on_malformed(void *object, const char *what, unsigned int line,
					    struct problem *problem)
{
	struct journal *journal = object;

	textbuf_format(&journal->text, "!%s@%u|", what, line);
	return journal->is_lenient ? KYMO_OK : problem_set(problem, KYMO_FORMAT, "%s", what);
}

static inline const char *on_look_up(void *object, enum config_reference kind, const char *name)
{
	(void)object;
	if (kind == CONFIG_REFERENCE_ENVIRONMENT)
		return strcmp(name, "HOME") == 0 ? "/home/me" : NULL;
	return strcmp(name, "KYMO_TRACE") == 0 ? "ON" : NULL;
}

static inline void assert_read(const char *text, const char *expected)
{
	struct journal journal = {0};
	struct config_sink sink = {&journal, on_assign, on_malformed, on_look_up};
	struct problem problem;
	char *copy = malloc(strlen(text) + 1); /* exact, for the sanitizers */
	enum kymo_status status;

	assert_non_null(copy);
	memcpy(copy, text, strlen(text));
	textbuf_text(&journal.text, "");
	status = config_parse(copy, strlen(text), &sink, &problem);
	assert_string_equal(journal.text.data, expected);
	assert_int_equal(status, strchr(expected, '!') != NULL ? KYMO_FORMAT : KYMO_OK);
	textbuf_release(&journal.text);
	free(copy);
}

#endif
