/* Statuses by name, and the one-line reason of a failure.  The line is truncated, never overrun:
 * it may contain a path of any length.  Newlines in the arguments become blanks, so that one
 * problem stays one line, and nothing in it is interpreted by a terminal. */
#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text/plaintext.h"

static void line_close(char *line, struct problem *problem)
{
	for (char *c = line; *c; c++) {
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	}
	plaintext_clean(line, problem->text, sizeof(problem->text));
}

enum kymo_status problem_set(struct problem *problem, enum kymo_status status, const char *format,
			     ...)
{
	char line[sizeof(problem->text)];
	va_list arguments;

	if (!problem)
		return status;
	va_start(arguments, format);
	if (vsnprintf(line, sizeof(line), format, arguments) < 0)
		snprintf(line, sizeof(line), "%s", status_text(status));
	va_end(arguments);
	line_close(line, problem);
	return status;
}

int status_exit_code(enum kymo_status status)
{
	switch (status) {
#define STATUS_CODE(name, value, code, text)                                                       \
	case KYMO_##name:                                                                          \
		return code;
		KYMO_STATUS_MAP(STATUS_CODE)
#undef STATUS_CODE
	}
	return 1;
}

const char *status_text(enum kymo_status status)
{
	switch (status) {
#define STATUS_TEXT(name, value, code, text)                                                       \
	case KYMO_##name:                                                                          \
		return text;
		KYMO_STATUS_MAP(STATUS_TEXT)
#undef STATUS_TEXT
	}
	return "unknown status";
}
