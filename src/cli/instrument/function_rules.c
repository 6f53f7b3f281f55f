/* Deciding which functions are recorded.  Regular expressions are searched in the demangled name
 * and in the linker's. */
#include "cli/instrument/function_rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "base/hashset.h"
#include "base/text/listitem.h"
#include "cli/instrument/function_file.h"
#include "cli/instrument/function_filter.h"
#include "cli/options/expressions.h"
#include "object/image/own_name.h"
#include "patch/apply/patchtiming.h"

#define BYTES_PER_INSTRUCTION 4u

struct function_rules {
	struct expressions include, exclude, restricts, callees;
	struct expressions instructions;
	struct expressions module_include, module_exclude, module_restrict;
	struct expressions arguments,
		results;		/* functions whose arguments or results are recorded */
	struct function_filter *filter; /* NULL = none */
	uint64_t least_bytes, least_instructions;
	uint64_t least_loop_bytes, least_loop_instructions;
	bool no_calls;
	char *linkage, *visibility; /* texts of lists; "" = all */
	char *internal_more, *internal_less;
	enum patch_cost cost;
	unsigned variant; /* PLAN_VARIANT_* */
	char key[FUNCTION_KEY_SIZE];
};

static bool matches_function(const struct expressions *expressions,
			     const struct function_facts *facts)
{
	if (expressions->count == 0)
		return false;
	return expressions_match(expressions, facts->name) ||
	       (strcmp(facts->name, facts->mangled) != 0 &&
		expressions_match(expressions, facts->mangled));
}

static bool has_word(const char *list, const char *word)
{
	const char *item;
	size_t length;

	while (listitem_next(&list, &item, &length))
		if (strlen(word) == length && strncasecmp(item, word, length) == 0)
			return true;
	return false;
}

static enum kymo_status rules_check_words(const struct settings *settings, enum setting_id id,
					  const char *known, struct problem *problem)
{
	const char *list = settings_text(settings, id), *item;
	char word[64];
	size_t length;

	while (listitem_next(&list, &item, &length)) {
		snprintf(word, sizeof(word), "%.*s", (int)length, item);
		if (!has_word(known, word))
			return problem_set(problem, KYMO_USAGE, "KYMO_%s takes %s, not '%s'",
					   setting_table[id].name, known, word);
	}
	return KYMO_OK;
}

static bool wants_values(const struct settings *settings)
{
	return settings_text(settings, SET_FUNCTIONS_ARGS)[0] ||
	       settings_text(settings, SET_FUNCTIONS_RETVAL)[0];
}

static enum patch_cost rules_cost_of(const struct settings *settings)
{
	const char *cost = settings_text(settings, SET_FUNCTIONS_TIMING);

	if (strcmp(cost, "auto") == 0 && wants_values(settings))
		return PATCH_COST_COUNTS;
	if (strcmp(cost, "auto") == 0)
		return settings_keep_events(settings) ||
				       settings_bool(settings, SET_FUNCTIONS_LOOPS)
			       ? PATCH_COST_FULL
			       : PATCH_COST_COUNTS;
	return patchtiming_find(cost);
}

/* Settings on which a choice depends. */
static const enum setting_id choosing[] = {
	SET_FUNCTIONS_INCLUDE,
	SET_FUNCTIONS_EXCLUDE,
	SET_FUNCTIONS_RESTRICT,
	SET_FUNCTIONS_MODULE_INCLUDE,
	SET_FUNCTIONS_MODULE_EXCLUDE,
	SET_FUNCTIONS_MODULE_RESTRICT,
	SET_FUNCTIONS_CALLER_INCLUDE,
	SET_FUNCTIONS_LINKAGE,
	SET_FUNCTIONS_VISIBILITY,
	SET_FUNCTIONS_NO_CALLS,
	SET_FUNCTIONS_MIN_INSTRUCTIONS,
	SET_FUNCTIONS_MIN_BYTES,
	SET_FUNCTIONS_FILTER_FILE,
	SET_FUNCTIONS_LOOPS_MIN_INSTRUCTIONS,
	SET_FUNCTIONS_LOOPS_MIN_BYTES,
	SET_FUNCTIONS_INTERNAL_APPEND,
	SET_FUNCTIONS_INTERNAL_REMOVE,
	SET_FUNCTIONS_INSTRUCTION_EXCLUDE,
	SET_FUNCTIONS_ARGS,
	SET_FUNCTIONS_RETVAL,
};

static void make_key(struct function_rules *rules, const struct settings *settings)
{
	uint64_t hash = HASH_SEED, filter = 0;
	bool is_default = true;

	for (size_t i = 0; i < sizeof(choosing) / sizeof(*choosing); i++) {
		const char *value = settings_text(settings, choosing[i]);

		is_default &= strcmp(value, setting_table[choosing[i]].default_text) == 0;
		hash = hash_bytes(hash, value, strlen(value) + 1);
	}
	if (is_default)
		return;
	if (rules->filter)
		filter = function_filter_hash(rules->filter);
	hash = hash_bytes(hash, &filter, sizeof(filter));
	hash = hash_bytes(hash, &rules->cost, sizeof(rules->cost));
	snprintf(rules->key, sizeof(rules->key), "%016llx", (unsigned long long)hash);
}

static enum kymo_status rules_read_all(struct function_rules *rules,
				       const struct settings *settings, struct problem *problem)
{
	const struct {
		enum setting_id id;
		struct expressions *out;
	} lists[] = {
		{SET_FUNCTIONS_INCLUDE, &rules->include},
		{SET_FUNCTIONS_EXCLUDE, &rules->exclude},
		{SET_FUNCTIONS_RESTRICT, &rules->restricts},
		{SET_FUNCTIONS_CALLER_INCLUDE, &rules->callees},
		{SET_FUNCTIONS_INSTRUCTION_EXCLUDE, &rules->instructions},
		{SET_FUNCTIONS_MODULE_INCLUDE, &rules->module_include},
		{SET_FUNCTIONS_MODULE_EXCLUDE, &rules->module_exclude},
		{SET_FUNCTIONS_MODULE_RESTRICT, &rules->module_restrict},
		{SET_FUNCTIONS_ARGS, &rules->arguments},
		{SET_FUNCTIONS_RETVAL, &rules->results},
	};
	const char *path = settings_text(settings, SET_FUNCTIONS_FILTER_FILE);
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < sizeof(lists) / sizeof(*lists); i++)
		status = expressions_read(settings, lists[i].id, lists[i].out, problem);
	if (status == KYMO_OK)
		status = rules_check_words(settings, SET_FUNCTIONS_LINKAGE,
					   "global, local, weak, unknown", problem);
	if (status == KYMO_OK)
		status = rules_check_words(settings, SET_FUNCTIONS_VISIBILITY,
					   "default, hidden, protected, unknown", problem);
	if (status == KYMO_OK && path[0])
		status = function_filter_read(path, &rules->filter, problem);
	if (status == KYMO_OK && settings_bool(settings, SET_FUNCTIONS_LOOPS) &&
	    rules_cost_of(settings) == PATCH_COST_COUNTS)
		status =
			problem_set(problem, KYMO_USAGE,
				    "loops are recorded with --timing coarse or full, not sampled");
	if (status == KYMO_OK && wants_values(settings) &&
	    rules_cost_of(settings) != PATCH_COST_COUNTS)
		status = problem_set(problem, KYMO_USAGE,
				     "arguments and return values are recorded with --timing "
				     "sampled: other calls are then counted");
	return status;
}

enum kymo_status function_rules_new(const struct settings *settings, struct function_rules **out,
				    struct problem *problem)
{
	struct function_rules *rules = calloc(1, sizeof(*rules));
	enum kymo_status status = KYMO_MEMORY;

	if (rules) {
		rules->linkage = strdup(settings_text(settings, SET_FUNCTIONS_LINKAGE));
		rules->visibility = strdup(settings_text(settings, SET_FUNCTIONS_VISIBILITY));
		rules->internal_more =
			strdup(settings_text(settings, SET_FUNCTIONS_INTERNAL_APPEND));
		rules->internal_less =
			strdup(settings_text(settings, SET_FUNCTIONS_INTERNAL_REMOVE));
	}
	if (!rules || !rules->linkage || !rules->visibility || !rules->internal_more ||
	    !rules->internal_less)
		problem_set(problem, KYMO_MEMORY, "out of memory");
	else
		status = rules_read_all(rules, settings, problem);
	if (status < 0) {
		function_rules_free(rules);
		return status;
	}
	rules->least_bytes = (uint64_t)settings_integer(settings, SET_FUNCTIONS_MIN_BYTES);
	rules->least_instructions =
		(uint64_t)settings_integer(settings, SET_FUNCTIONS_MIN_INSTRUCTIONS);
	rules->least_loop_bytes =
		(uint64_t)settings_integer(settings, SET_FUNCTIONS_LOOPS_MIN_BYTES);
	rules->least_loop_instructions =
		(uint64_t)settings_integer(settings, SET_FUNCTIONS_LOOPS_MIN_INSTRUCTIONS);
	rules->no_calls = settings_bool(settings, SET_FUNCTIONS_NO_CALLS);
	rules->cost = rules_cost_of(settings);
	rules->variant = plan_kind_of(rules->cost, !rules->no_calls).variant;
	if (settings_bool(settings, SET_FUNCTIONS_LOOPS))
		rules->variant |= PLAN_VARIANT_LOOPS;
	if (settings_bool(settings, SET_FUNCTIONS_SERIALIZE) && rules->cost != PATCH_COST_COUNTS)
		rules->variant |= PLAN_VARIANT_SERIALIZED;
	make_key(rules, settings);
	*out = rules;
	return KYMO_OK;
}

void function_rules_free(struct function_rules *rules)
{
	if (!rules)
		return;
	expressions_release(&rules->include);
	expressions_release(&rules->exclude);
	expressions_release(&rules->restricts);
	expressions_release(&rules->callees);
	expressions_release(&rules->instructions);
	expressions_release(&rules->arguments);
	expressions_release(&rules->results);
	expressions_release(&rules->module_include);
	expressions_release(&rules->module_exclude);
	expressions_release(&rules->module_restrict);
	function_filter_free(rules->filter);
	free(rules->linkage);
	free(rules->internal_more);
	free(rules->internal_less);
	free(rules->visibility);
	free(rules);
}

const char *function_rules_key(const struct function_rules *rules)
{
	return rules->key;
}

enum patch_cost function_rules_cost(const struct function_rules *rules)
{
	return rules->cost;
}

struct plan_kind function_rules_kind(const struct function_rules *rules)
{
	return (struct plan_kind){rules->cost, rules->variant};
}

void function_rules_add_variant(struct function_rules *rules, unsigned variant)
{
	rules->variant |= variant;
}

void function_rules_without_calls(struct function_rules *rules)
{
	rules->variant |= plan_kind_of(rules->cost, false).variant;
}

void function_rules_fit_limits(struct function_rules *rules)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		function_rules_without_calls(rules);
}

bool function_rules_want_libraries(const struct function_rules *rules)
{
	return rules->module_include.count + rules->module_exclude.count +
		       rules->module_restrict.count >
	       0;
}

bool function_rules_want_calls(const struct function_rules *rules)
{
	return rules->callees.count > 0;
}

unsigned function_rules_wants(const struct function_rules *rules,
			      const struct function_facts *facts)
{
	return (matches_function(&rules->arguments, facts) ? FUNCTION_WANTS_ARGUMENTS : 0) |
	       (matches_function(&rules->results, facts) ? FUNCTION_WANTS_RESULT : 0);
}

bool function_rules_want_values(const struct function_rules *rules)
{
	return rules->arguments.count > 0 || rules->results.count > 0;
}

bool function_rules_want_names(const struct function_rules *rules)
{
	return rules->exclude.count + rules->restricts.count + rules->include.count > 0 ||
	       rules->filter;
}

bool function_rules_want_instructions(const struct function_rules *rules)
{
	return rules->instructions.count > 0;
}

bool function_rules_is_instruction(const struct function_rules *rules, const char *text)
{
	return expressions_match(&rules->instructions, text);
}

bool function_rules_is_callee(const struct function_rules *rules, const char *name)
{
	return expressions_match(&rules->callees, name);
}

/* By the library's SONAME, in the folder of path. */
static bool matches_own_name(const struct expressions *expressions, const char *path)
{
	const char *slash = strrchr(path, '/');
	char by_own_name[PATH_MAX], own[NAME_MAX + 1];
	int folder = slash ? (int)(slash - path + 1) : 0;

	return own_name_read(path, own, sizeof(own)) &&
	       snprintf(by_own_name, sizeof(by_own_name), "%.*s%s", folder, path, own) <
		       (int)sizeof(by_own_name) &&
	       expressions_match(expressions, by_own_name);
}

/* By the given path, with all links resolved, and by its SONAME: the name by which programs load it
 * and tables show it. */
static bool matches_file(const struct expressions *expressions, const char *path)
{
	char place[PATH_MAX];

	if (expressions->count == 0)
		return false;
	return expressions_match(expressions, path) || matches_own_name(expressions, path) ||
	       (realpath(path, place) && expressions_match(expressions, place));
}

enum function_verdict function_rules_judge_file(const struct function_rules *rules,
						const char *path, bool is_program)
{
	if (function_file_is_ours(path))
		return FUNCTION_FILE_INTERNAL;
	if (matches_file(&rules->module_exclude, path))
		return FUNCTION_FILE_EXCLUDED;
	if (rules->module_restrict.count > 0 && !matches_file(&rules->module_restrict, path))
		return FUNCTION_FILE_LEFT;
	if (rules->module_restrict.count > 0 || matches_file(&rules->module_include, path) ||
	    is_program)
		return FUNCTION_TAKEN;
	if (rules->module_include.count > 0 || rules->module_exclude.count == 0)
		return FUNCTION_FILE_UNASKED;
	return function_file_is_internal(path, rules->internal_more, rules->internal_less)
		       ? FUNCTION_FILE_INTERNAL
		       : FUNCTION_TAKEN;
}

static enum function_verdict judge_kind(const struct function_rules *rules,
					const struct plan_function *function)
{
	/* If they were not counted, estimated from the average. */
	uint64_t instructions = function->instructions ? function->instructions
						       : function->size / BYTES_PER_INSTRUCTION;

	if (function->flags & PLAN_FUNCTION_LOOP)
		return function->size < rules->least_loop_bytes ? FUNCTION_SMALL_BYTES
		       : function->instructions < rules->least_loop_instructions
			       ? FUNCTION_SMALL_INSTRUCTIONS
			       : FUNCTION_TAKEN;
	if (rules->linkage[0] && !has_word(rules->linkage, function_linkage(function)))
		return FUNCTION_LINKAGE;
	if (rules->visibility[0] && !has_word(rules->visibility, function_visibility(function)))
		return FUNCTION_VISIBILITY;
	if (function->size < rules->least_bytes)
		return FUNCTION_SMALL_BYTES;
	if (instructions < rules->least_instructions)
		return FUNCTION_SMALL_INSTRUCTIONS;
	return FUNCTION_TAKEN;
}

enum function_verdict function_rules_judge(const struct function_rules *rules,
					   const struct function_facts *facts)
{
	enum filter_verdict filter = FILTER_SILENT;
	enum function_verdict kind;

	if (facts->plan->way == PLAN_WAY_NONE)
		return FUNCTION_CANNOT;
	if (rules->no_calls && facts->plan->way == PLAN_WAY_CALL)
		return FUNCTION_CALL_THROUGH;
	if (matches_function(&rules->exclude, facts))
		return FUNCTION_EXCLUDED;
	if (rules->restricts.count > 0 && !matches_function(&rules->restricts, facts))
		return FUNCTION_LEFT;
	if (matches_function(&rules->include, facts))
		return FUNCTION_INCLUDED;
	if (facts->calls_callee)
		return FUNCTION_CALLS;
	if (rules->filter)
		filter = function_filter_judge(rules->filter, facts->name, facts->mangled);
	if (filter == FILTER_EXCLUDES)
		return FUNCTION_FILTERED;
	kind = judge_kind(rules, facts->plan);
	return kind == FUNCTION_TAKEN && facts->has_instruction ? FUNCTION_INSTRUCTION : kind;
}
