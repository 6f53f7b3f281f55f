/* The user's settings, read in the same way by every command. */
#include "base/text/plaintext.h"
#include "cli/options/command_settings.h"

#include <stdio.h>
#include <unistd.h>

#include "config/settings_load.h"

enum kymo_status command_settings_new(struct settings **out, struct problem *problem)
{
	struct settings *settings = settings_new();
	enum kymo_status status;

	if (!settings)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = settings_load(settings, environ, NULL, problem);
	if (status < 0) {
		settings_free(settings);
		return status;
	}
	for (size_t i = 0; i < settings_warning_count(settings); i++)
		plaintext_print(stderr, "kymo: %s\n", settings_warning(settings, i));
	*out = settings;
	return KYMO_OK;
}
