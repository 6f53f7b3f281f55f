/* The runtime's settings, as a test gives them.  Include it once, in a test that is linked without
 * the runtime. */
#ifndef KYMO_SETTINGS_FIXTURE_H
#define KYMO_SETTINGS_FIXTURE_H

#include <string.h>

#include "runtime/runtime.h"

#define SETTINGS_GIVEN_MAX 16u

static struct {
	const char *name, *value;
} settings_given[SETTINGS_GIVEN_MAX];
static unsigned settings_given_count;

static void settings_give(const char *name, const char *value)
{
	if (settings_given_count == SETTINGS_GIVEN_MAX)
		__builtin_trap();
	settings_given[settings_given_count].name = name;
	settings_given[settings_given_count++].value = value;
}

static void settings_forget(void)
{
	settings_given_count = 0;
}

const char *kymo_runtime_setting(const char *name)
{
	for (unsigned i = settings_given_count; i > 0; i--)
		if (strcmp(settings_given[i - 1].name, name) == 0)
			return settings_given[i - 1].value;
	return NULL;
}

#endif
