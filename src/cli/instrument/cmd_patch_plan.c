/* kymo patch-plan: makes what the collector of native functions does not find in the cache, the
 * plans of files and the choice among their functions.  Internal; the settings come from the
 * environment. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/instrument/function_choice.h"
#include "config/settings_load.h"
#include "model/code/symbols.h"
#include "patch/plan/cache/planapi.h"
#include "patch/plan/cache/plancache.h"
#include "patch/read/planreadpath.h"

#define HANDS_MAX 64 /* files, each with two descriptors */

/* Descriptors for what cannot be cached of a file: -1 = none. */
struct hands {
	int plan, choice;
};

struct planning {
	struct settings *settings;
	struct function_rules *rules;
	struct symbols *symbols;
	const char *key; /* "" = no choice is needed */
	struct hands hands[HANDS_MAX];
	int hand_count;
};

static struct hands hands_of(const struct planning *planning, int file)
{
	const struct hands none = {-1, -1};

	return file < planning->hand_count ? planning->hands[file] : none;
}

/* Without a writable cache, the results are written to the program's descriptors. */
static enum kymo_status plan_keep(const struct planning *planning,
				  const struct function_choice *choice, struct hands hands,
				  struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	if (hands.plan >= 0 && !plancache_has(&choice->plan))
		status = plancache_hand(hands.plan, choice->plan_bytes, choice->plan_size, problem);
	if (status < 0 || !planning->key[0])
		return status;
	status = function_choice_write(choice, planning->key, problem);
	if (status < 0 && hands.choice >= 0)
		status = function_choice_hand(choice, hands.choice, problem);
	return status;
}

static enum kymo_status patch_plan_file(const struct planning *planning, const char *path,
					bool is_program, struct hands hands,
					struct problem *problem)
{
	struct function_choice choice;
	enum kymo_status status = function_choice_make(path, is_program, planning->rules,
						       planning->symbols, &choice, problem);

	if (status < 0)
		return status;
	status = plan_keep(planning, &choice, hands, problem);
	function_choice_release(&choice);
	return status;
}

/* After a failure the other files are still processed. */
static enum kymo_status plan_files(const struct planning *planning, const char *program,
				   char **files, int count)
{
	enum kymo_status result = KYMO_OK, status;
	struct problem problem;
	int first = program ? 1 : 0;

	for (int i = 0; i < first + count; i++) {
		const char *path = i < first ? program : files[i - first];

		status =
			patch_plan_file(planning, path, i < first, hands_of(planning, i), &problem);
		if (status < 0) {
			command_fail(status, &problem);
			result = status;
		}
	}
	return result;
}

/* Plans of libraries whose API calls are recorded. */
static enum kymo_status plan_api(const struct planning *planning, const char *pattern, char **files,
				 int count)
{
	enum kymo_status result = KYMO_OK, status;
	struct plan_kind kind = function_rules_kind(planning->rules);
	struct problem problem;
	uint64_t made;

	kind.variant &= PLAN_VARIANT_SERIALIZED; /* these have no others */

	for (int i = 0; i < count; i++) {
		status = planapi_make(files[i], pattern, kind, hands_of(planning, i).plan, &made,
				      &problem);
		if (status < 0) {
			command_fail(status, &problem);
			result = status;
		}
	}
	return result;
}

static enum kymo_status add_variant(struct planning *planning, const char *name,
				    struct problem *problem)
{
	unsigned variant = plancache_variant(name);

	if (variant == PLAN_VARIANTS)
		return problem_set(problem, KYMO_USAGE, "'%s' is not a variant of plans", name);
	function_rules_add_variant(planning->rules, variant);
	return KYMO_OK;
}

/* "5,6,7,8": two descriptors per file, in the order of the files, the program's first. */
static enum kymo_status take_hands(struct planning *planning, const char *list,
				   struct problem *problem)
{
	int *numbers = &planning->hands[0].plan, count = 0;

	_Static_assert(sizeof(struct hands) == 2 * sizeof(int), "hands are pairs of numbers");
	while (*list && count < 2 * HANDS_MAX) {
		char *end;
		long number = strtol(list, &end, 10);

		if (end == list || number < 0 || number > INT_MAX || (*end && *end != ',') ||
		    fcntl((int)number, F_GETFD) < 0)
			return problem_set(problem, KYMO_USAGE, "--hand takes descriptors");
		numbers[count++] = (int)number;
		list = *end ? end + 1 : end;
	}
	planning->hand_count = count / 2;
	return KYMO_OK;
}

static enum kymo_status plan_prepare(struct planning *planning, const char *cost,
				     const char *variant, const char *hand, struct problem *problem)
{
	const char *given;
	enum kymo_status status;

	/* Passed in the environment, as the other settings are. */
	if (cost && setenv("KYMO_FUNCTIONS_TIMING", cost, 1) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	planning->settings = settings_new();
	if (!planning->settings)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	/* The program has reported errors in the environment. */
	status = settings_load(planning->settings, environ, NULL, problem);
	if (status == KYMO_OK)
		status = function_rules_new(planning->settings, &planning->rules, problem);
	if (status == KYMO_OK && hand)
		status = take_hands(planning, hand, problem);
	if (status == KYMO_OK && variant)
		status = add_variant(planning, variant, problem);
	if (status < 0)
		return status;
	planning->symbols = symbols_new();
	if (!planning->symbols)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	given = settings_text(planning->settings, SET_FUNCTIONS_KEY);
	planning->key = given[0] ? given : function_rules_key(planning->rules);
	return KYMO_OK;
}

int cmd_patch_plan(int argc, char **argv)
{
	const char *cost = NULL, *variant = NULL, *program = NULL, *api = NULL, *hand = NULL;
	const struct option_row rows[] = {
		{0, "cost", OPTION_TEXT, &cost, "COST", "counts, coarse or full"},
		{0, "variant", OPTION_TEXT, &variant, "NAME", "Of plans: exits"},
		{0, "program", OPTION_TEXT, &program, "FILE", "The program's own file"},
		{0, "api", OPTION_TEXT, &api, "REGEX", "Of exported functions that match"},
		{0, "hand", OPTION_TEXT, &hand, "FD,FD...",
		 "Where to write the plan and the choice of each file that the cache cannot take"},
	};
	const struct option_table table = {
		.command = "kymo patch-plan",
		.usage = "[options] [FILE...]",
		.description = "Makes the plans of a program and of libraries, for the collector "
			       "of native functions.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	struct planning planning = {0};
	struct problem problem;
	enum options_result parsed = options_parse(&table, &argc, argv, &problem);
	enum kymo_status status;
	int exit_status;

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	status = plan_prepare(&planning, cost, variant, hand, &problem);
	if (status < 0)
		exit_status = command_fail(status, &problem);
	else if (api)
		exit_status = status_exit_code(plan_api(&planning, api, argv, argc));
	else
		exit_status = status_exit_code(plan_files(&planning, program, argv, argc));
	symbols_free(planning.symbols);
	function_rules_free(planning.rules);
	settings_free(planning.settings);
	return exit_status;
}
