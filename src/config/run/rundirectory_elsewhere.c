/* A place for a run whose own cannot be made: a current folder that is read-only, full or another
 * user's takes nobody's recording away.  mkdtemp() makes it new, for this user alone, under a name
 * that nobody can foresee. */
#include "config/run/rundirectory_elsewhere.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE "kymo-run-XXXXXX"

static const char *temporary_folder(char *const *environment)
{
	for (; environment && *environment; environment++)
		if (strncmp(*environment, "TMPDIR=/", 8) == 0)
			return *environment + 7;
	return "/tmp";
}

enum kymo_status rundirectory_elsewhere(const struct output_context *context, char *path,
					size_t size, struct problem *problem)
{
	struct problem first = *problem;
	int length;

	if (settings_source(context->settings, SET_OUTPUT_PATH) != SETTING_FROM_DEFAULT)
		return KYMO_SYSTEM;
	length = snprintf(path, size, "%s/" TEMPLATE, temporary_folder(context->environment));
	if (length < 0 || (size_t)length >= size || !mkdtemp(path))
		return KYMO_SYSTEM;
	problem_set(problem, KYMO_SYSTEM, "%s; the run goes into '%s'", first.text, path);
	return KYMO_OK;
}
