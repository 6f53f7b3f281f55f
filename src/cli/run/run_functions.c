/* Native functions under kymo run: settings for the collector, and programs that were instrumented
 * on disk. */
#include "cli/run/run_functions.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/listitem.h"
#include "cli/instrument/function_rules.h"
#include "cli/run/run_command.h"
#include "patch/apply/patchtiming.h"
#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritefind.h"

/* The collector starts before anything but the environment can be read: all its settings are put
 * there, wherever they come from. */
static enum kymo_status hand_on_functions(struct run_command *run,
					  const struct function_rules *rules,
					  struct problem *problem)
{
	const struct {
		enum setting_id id;
		const char *value;
	} needed[] = {
		{SET_FUNCTIONS, settings_bool(run->settings, SET_FUNCTIONS) ? "ON" : "OFF"},
		{SET_FUNCTIONS_API, NULL},
		{SET_FUNCTIONS_TIMING, patchtiming_name(function_rules_cost(rules))},
		{SET_FUNCTIONS_SERIALIZE, NULL},
		{SET_FUNCTIONS_KEY, function_rules_key(rules)},
		{SET_FUNCTIONS_MODULE_INCLUDE, NULL},
		{SET_FUNCTIONS_MODULE_EXCLUDE, NULL},
		{SET_FUNCTIONS_MODULE_RESTRICT, NULL},
		{SET_FUNCTIONS_NO_CALLS, NULL},
		{SET_FUNCTIONS_BUDGET, NULL},
		{SET_TOOL_PATH, NULL},
	};
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed) && status == KYMO_OK; i++) {
		const char *value = needed[i].value ? needed[i].value
						    : settings_text(run->settings, needed[i].id);

		if (needed[i].value || value[0])
			status = vocabulary_choose(&run->request, needed[i].id, value, false,
						   problem);
	}
	return status;
}

/* LIB:REGEX: errors are reported here, before the program starts. */
static enum kymo_status check_api(const struct run_command *run, struct problem *problem)
{
	const char *rest = settings_text(run->settings, SET_FUNCTIONS_API), *item, *colon;
	enum kymo_status status = KYMO_OK;
	size_t length;

	while (status == KYMO_OK && listitem_next(&rest, &item, &length)) {
		char *copy = strndup(item, length);
		regex_t pattern;

		if (!copy)
			return problem_set(problem, KYMO_MEMORY, "out of memory");
		colon = strchr(copy, ':');
		if (colon == copy)
			status = problem_set(problem, KYMO_USAGE,
					     "--trace-api takes LIB or LIB:REGEX, not '%s'", copy);
		else if (colon && colon[1] && regcomp(&pattern, colon + 1, REG_EXTENDED) != 0)
			status = problem_set(problem, KYMO_USAGE,
					     "--trace-api: '%s' is not a regular expression",
					     colon + 1);
		else if (colon && colon[1])
			regfree(&pattern);
		free(copy);
	}
	return status;
}

enum kymo_status run_functions_choose(struct run_command *run, struct problem *problem)
{
	struct function_rules *rules;
	enum kymo_status status;

	if (!settings_bool(run->settings, SET_FUNCTIONS) &&
	    !settings_text(run->settings, SET_FUNCTIONS_API)[0])
		return KYMO_OK;
	status = check_api(run, problem);
	if (status == KYMO_OK)
		status = function_rules_new(run->settings, &rules, problem);
	if (status < 0)
		return status;
	status = hand_on_functions(run, rules, problem);
	function_rules_free(rules);
	return status;
}

/* A program that was instrumented on disk contains settings: its functions are recorded, and its
 * variables apply where none are set. */
static enum kymo_status take_rewritten(struct run_command *run, const struct rewrite_found *found,
				       struct problem *problem)
{
	const bool is_known = found->cost > 0 && found->cost <= PATCH_COST_FULL;
	enum kymo_status status = KYMO_OK;

	for (const char *item = found->environment; item && *item; item += strlen(item) + 1) {
		const char *equals = strchr(item, '=');
		char *name = equals ? strndup(item, (size_t)(equals - item)) : NULL;

		if (name && setenv(name, equals + 1, 0) < 0)
			status = problem_set(problem, KYMO_MEMORY, "out of memory");
		free(name);
	}
	if (status == KYMO_OK &&
	    settings_source(run->settings, SET_FUNCTIONS) == SETTING_FROM_DEFAULT)
		status = vocabulary_choose(&run->request, SET_FUNCTIONS, "ON", true, problem);
	/* As in the file. */
	if (status == KYMO_OK && is_known)
		status = vocabulary_choose(&run->request, SET_FUNCTIONS_TIMING,
					   patchtiming_name((enum patch_cost)found->cost), false,
					   problem);
	if (status == KYMO_OK && is_known)
		status = vocabulary_choose(&run->request, SET_FUNCTIONS_SERIALIZE,
					   found->is_serialized ? "ON" : "OFF", false, problem);
	return status;
}

enum kymo_status run_functions_copy(struct run_command *run, bool *is_copy, struct problem *problem)
{
	enum kymo_status status;
	struct rewrite_found found;

	*is_copy = rewrite_find(run->path, &found);
	if (!*is_copy)
		return KYMO_OK;
	status = take_rewritten(run, &found, problem);
	rewrite_found_release(&found);
	return status;
}
