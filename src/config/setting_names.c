/* Names of settings: the table's own, older ones and those of other tools. A few dozen names are
 * searched linearly, once per process. */
#include "config/setting_names.h"

#include <string.h>

#include "base/text/suggest.h"
#include "config/settings.h"

static const char *const prefixes[SETTING_PREFIX_COUNT] = {
	[SETTING_PREFIX_NONE] = "",
	[SETTING_PREFIX_OMNITRACE] = "OMNITRACE_",
	[SETTING_PREFIX_ROCPROFSYS] = "ROCPROFSYS_",
	[SETTING_PREFIX_KYMO] = "KYMO_",
};

static const struct {
	const char *name;
	enum setting_id id;
} aliases[] = {
	{"USE_PERFETTO", SET_TRACE},
	{"USE_TIMEMORY", SET_PROFILE},
	{"OUTPUT_FILE", SET_PERFETTO_FILE},
	{"COMPONENTS", SET_TIMEMORY_COMPONENTS},
	{"USE_SAMPLING", SET_SAMPLING},
	{"USE_PROCESS_SAMPLING", SET_PROCESS_SAMPLING},
	{"USE_THREAD_SAMPLING", SET_PROCESS_SAMPLING},
	{"FUNCTIONS_COST", SET_FUNCTIONS_TIMING},
};

static const char *const foreign_names[] = {
#define FOREIGN(name) name,
#include "config/foreign.def"
#undef FOREIGN
};

/* Read by the build, the launchers and the tests, or passed from process to process. */
static const char *const private_names[] = {
	"BUILD",
	"SOURCE",
	"PYTHON",
	"USE_PYTHON",
	"PYTHON_VERSIONS",
	"PYTHON_ROOT_DIRS",
	"PYTHON_EXECUTABLE",
	"PYTHON_PRELOADED", /* python/kymo/_preloaded.py */
	"ROOT",
	"HOME",
	"RUN_ROOT", /* config/run/rundirectory.h */
	"RUN_PARENT",
	"RUN_CLOCK",
	"RUN_COST",
	"RUN_LAUNCH",
	"RUN_ADDED", /* collectors/lifecycle */
};

static inline char names_fold(char character)
{
	if (character >= 'a' && character <= 'z')
		return (char)(character - 'a' + 'A');
	return character == '-' ? '_' : character;
}

static bool names_begins_with(const char *name, size_t length, const char *start)
{
	for (; *start != '\0'; start++, name++, length--)
		if (length == 0 || names_fold(*name) != *start)
			return false;
	return true;
}

static bool names_is_equal(const char *name, size_t length, const char *other)
{
	/* Every process compares a few names with all at its start: most differ in the first
	 * character. */
	if (length == 0 || names_fold(*name) != *other)
		return length == 0 && *other == '\0';
	return strlen(other) == length && names_begins_with(name, length, other);
}

static bool names_matches(const char *name, size_t length, const char *pattern)
{
	size_t fixed = strlen(pattern) - 1, i;

	if (pattern[fixed] != '*')
		return names_is_equal(name, length, pattern);
	for (i = 0; i < fixed; i++)
		if (i >= length || names_fold(name[i]) != pattern[i])
			return false;
	return true;
}

enum setting_prefix setting_prefix_of(const char *name, size_t length, size_t *rest_out)
{
	enum setting_prefix prefix = SETTING_PREFIX_COUNT;

	do
		prefix--;
	while (!names_begins_with(name, length, prefixes[prefix]));
	*rest_out = strlen(prefixes[prefix]);
	return prefix;
}

static bool is_private(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(private_names) / sizeof(*private_names); i++)
		if (names_is_equal(name, length, private_names[i]))
			return true;
	return false;
}

static bool is_foreign(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(foreign_names) / sizeof(*foreign_names); i++)
		if (names_matches(name, length, foreign_names[i]))
			return true;
	return false;
}

struct setting_name setting_name_resolve(const char *name, size_t length)
{
	struct setting_name result = {.kind = SETTING_NAME_UNKNOWN, .id = -1};
	size_t rest;

	result.prefix = setting_prefix_of(name, length, &rest);
	name += rest;
	length -= rest;
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (names_is_equal(name, length, setting_table[id].name)) {
			result.kind = SETTING_NAME_OWN;
			result.id = id;
			return result;
		}
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		if (names_is_equal(name, length, aliases[i].name)) {
			result.kind = SETTING_NAME_ALIAS;
			result.id = (int)aliases[i].id;
			return result;
		}
	}
	if (result.prefix == SETTING_PREFIX_KYMO && is_private(name, length))
		result.kind = SETTING_NAME_PRIVATE;
	else if (result.prefix != SETTING_PREFIX_KYMO && result.prefix != SETTING_PREFIX_NONE &&
		 is_foreign(name, length))
		result.kind = SETTING_NAME_FOREIGN;
	return result;
}

int settings_find(const char *name)
{
	return setting_name_resolve(name, strlen(name)).id;
}

const char *settings_nearest(const char *name)
{
	struct suggestion search;
	size_t rest;

	setting_prefix_of(name, strlen(name), &rest);
	suggest_begin(&search, name + rest);
	for (int id = 0; id < SETTING_COUNT; id++)
		suggest_offer(&search, setting_table[id].name);
	return search.best;
}
