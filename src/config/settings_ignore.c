/* Resetting invalid values from the environment. */
#include "config/settings_ignore.h"

#include <stdlib.h>
#include <string.h>

#include "config/settings_private.h"
#include "config/settings_store.h"

static bool begins_with_one_of(const char *name, const char *beginnings)
{
	while (*beginnings) {
		size_t length = strcspn(beginnings, " ");

		if (strncmp(name, beginnings, length) == 0)
			return true;
		beginnings += length;
		beginnings += strspn(beginnings, " ");
	}
	return false;
}

enum kymo_status settings_ignore_environment(struct settings *settings, const char *names,
					     const struct problem *problem)
{
	struct problem warning;
	bool is_found = false;

	for (int id = 0; id < SETTING_COUNT; id++) {
		if (settings->sources[id] != SETTING_FROM_ENVIRONMENT ||
		    !begins_with_one_of(setting_table[id].name, names))
			continue;
		free(settings->texts[id]);
		settings->texts[id] = NULL;
		settings->sources[id] = SETTING_FROM_DEFAULT;
		is_found = true;
	}
	if (!is_found)
		return KYMO_USAGE;
	problem_set(&warning, KYMO_USAGE, "%s; the environment's value has no effect",
		    problem->text);
	return settings_warn(settings, &warning);
}
