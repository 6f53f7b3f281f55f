/* Settings from the environment.  They are read before the C library is initialised. */
#include "collectors/functions/funcpatch_settings.h"

#include <string.h>
#include <strings.h>

#include "collectors/functions/funcpatch.h"
#include "patch/apply/patchtiming.h"

struct funcpatch_settings funcpatch_settings;

const char *funcpatch_environment(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static const char *funcpatch_settings_text(const char *name)
{
	const char *value = funcpatch_environment(funcpatch_settings.environment, name);

	return value ? value : "";
}

static bool settings_is_one_of(const char *value, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(value, *words) == 0)
			return true;
	return false;
}

static bool settings_is_on(const char *name, bool otherwise)
{
	static const char *const yes[] = {"ON", "TRUE", "YES", "1", "Y", "T", NULL};
	static const char *const no[] = {"OFF", "FALSE", "NO", "0", "N", "F", NULL};
	const char *value = funcpatch_settings_text(name);

	if (settings_is_one_of(value, yes))
		return true;
	return settings_is_one_of(value, no) ? false : otherwise;
}

static enum patch_cost cost(void)
{
	const char *name = funcpatch_settings_text("KYMO_FUNCTIONS_TIMING");
	enum patch_cost given =
		patchtiming_find(name[0] ? name : funcpatch_settings_text("KYMO_FUNCTIONS_COST"));

	if (given)
		return given;
	if (funcpatch_settings_text("KYMO_FUNCTIONS_ARGS")[0] ||
	    funcpatch_settings_text("KYMO_FUNCTIONS_RETVAL")[0])
		return PATCH_COST_COUNTS;
	if (settings_is_on("KYMO_TRACE", false) || settings_is_on("KYMO_FUNCTIONS_LOOPS", false))
		return PATCH_COST_FULL;
	return PATCH_COST_COUNTS;
}

/* "2.5" -> 2500000: percent in millionths.  0 = none, or not a number. */
static uint32_t budget(void)
{
	const char *at = funcpatch_settings_text("KYMO_FUNCTIONS_BUDGET");
	uint32_t value = 0, unit = 1000000;

	for (; *at >= '0' && *at <= '9' && value <= 100; at++)
		value = value * 10 + (uint32_t)(*at - '0');
	if (value > 100)
		return 0;
	value *= unit;
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			value += (uint32_t)(*at - '0') * (unit /= 10);
	return *at ? 0 : value;
}

bool funcpatch_settings_read(char *const *environment)
{
	struct funcpatch_settings *settings = &funcpatch_settings;

	settings->environment = environment;
	settings->has_functions = settings_is_on("KYMO_FUNCTIONS", false);
	settings->api = funcpatch_settings_text("KYMO_FUNCTIONS_API");
	if (!settings_is_on("KYMO_ENABLED", true) ||
	    (!settings->has_functions && !settings->api[0]))
		return false;
	settings->cost = cost();
	settings->has_scope = funcpatch_settings_text("KYMO_FUNCTIONS_MODULE_INCLUDE")[0] ||
			      funcpatch_settings_text("KYMO_FUNCTIONS_MODULE_EXCLUDE")[0] ||
			      funcpatch_settings_text("KYMO_FUNCTIONS_MODULE_RESTRICT")[0];
	settings->has_later = settings->has_scope || settings->api[0];
	settings->has_calls = !settings_is_on("KYMO_FUNCTIONS_NO_CALLS", false);
	settings->is_serialized = settings->cost != PATCH_COST_COUNTS &&
				  settings_is_on("KYMO_FUNCTIONS_SERIALIZE", false);
	settings->has_loops = settings->cost != PATCH_COST_COUNTS &&
			      settings_is_on("KYMO_FUNCTIONS_LOOPS", false);
	settings->budget = budget();
	settings->key = funcpatch_settings_text("KYMO_FUNCTIONS_KEY");
	settings->cache_home = funcpatch_environment(environment, "XDG_CACHE_HOME");
	settings->home = funcpatch_environment(environment, "HOME");
	settings->tool = funcpatch_environment(environment, "KYMO_TOOL_PATH");
	return true;
}
