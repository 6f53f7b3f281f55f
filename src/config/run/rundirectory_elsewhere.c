/* A fallback directory, so that nothing is lost when the current directory is read-only, full or
 * another user's.  mkdtemp() makes it, accessible to this user only, under an unpredictable name.
 */
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
