/* Settings that set others; values that were given by name are kept. */
#include "config/settings_apply.h"

#include <string.h>

#include "config/categories.h"
#include "config/settings_private.h"
#include "config/settings_store.h"

/* The value of a setting that is not given. */
struct other_value {
	const char *name, *value;
};

/* What rocprofiler-systems and Omnitrace do not record of Python programs, and record of locks, as
 * in share/presets/omnitrace.json. */
static const struct other_value other_tool[] = {
	{"PYTHON_FUNCTION_EXCLUDE", "^<.*>$"},
	{"PYTHON_MODULE_EXCLUDE", "(encoder|decoder|threading).py$ ^<.*>$"},
	{"LOCKS_RECORD", "all"},
	{NULL, NULL},
};

static const struct other_value mode_trace[] = {
	{"TRACE", "ON"},
	{"PROFILE", "OFF"},
	{NULL, NULL},
};
static const struct other_value mode_sampling[] = {
	{"SAMPLING", "ON"},
	{"PROCESS_SAMPLING", "ON"},
	{"PROFILE", "OFF"},
	{NULL, NULL},
};

static enum kymo_status set_defaults(struct settings *settings, const struct other_value *values,
				     struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (; status == KYMO_OK && values->name; values++)
		status = settings_set(settings, values->name, values->value, SETTING_FROM_DEFAULT,
				      problem);
	return status;
}

static enum kymo_status apply_mode(struct settings *settings, struct problem *problem)
{
	const char *mode = settings_text(settings, SET_MODE);
	struct problem warning;

	if (strcmp(mode, "trace") == 0)
		return set_defaults(settings, mode_trace, problem);
	if (strcmp(mode, "sampling") == 0)
		return set_defaults(settings, mode_sampling, problem);
	if (strcmp(mode, "auto") == 0 || strcmp(mode, "profile") == 0)
		return KYMO_OK;
	problem_set(&warning, KYMO_UNAVAILABLE, "KYMO_MODE=%s has no effect: there is no such mode",
		    mode);
	return settings_warn(settings, &warning);
}

enum kymo_status settings_apply(struct settings *settings, struct problem *problem)
{
	enum kymo_status status = apply_mode(settings, problem);

	if (status == KYMO_OK && settings_bool(settings, SET_DEBUG))
		status = settings_set(settings, "VERBOSE", "4",
				      settings_source(settings, SET_DEBUG), problem);
	if (status == KYMO_OK && settings->is_of_other_tool)
		status = set_defaults(settings, other_tool, problem);
	return status == KYMO_OK ? categories_apply(settings, problem) : status;
}
