/* kymo instrument: kymo run that records native functions, with options to choose them, to print
 * the choice, and to write an instrumented copy of a file instead of running it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text/listitem.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/instrument/instrument_options.h"
#include "cli/instrument/instrument_print.h"
#include "cli/instrument/instrument_report.h"
#include "cli/instrument/instrument_target.h"
#include "cli/run/run_command.h"
#include "cli/run/run_folder.h"
#include "config/outputname.h"
#include "patch/analyse/file/patchsanitized.h"
#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritefind.h"
#include "platform/systemclock.h"

static int instrument_fail(enum kymo_status status, const struct problem *problem)
{
	run_print("%s", problem->text);
	return status_exit_code(status);
}

static enum kymo_status take_forms(const struct vocabulary_words *words, bool *forms,
				   struct problem *problem)
{
	const char *rest, *item;
	size_t length;

	for (size_t i = 0; i < words->count; i++) {
		rest = words->items[i];
		while (listitem_next(&rest, &item, &length)) {
			int form = 0;

			while (form < INSTRUMENT_FORM_COUNT &&
			       (strlen(instrument_form_name((enum instrument_form)form)) !=
					length ||
				strncmp(instrument_form_name((enum instrument_form)form), item,
					length) != 0))
				form++;
			if (form == INSTRUMENT_FORM_COUNT)
				return problem_set(
					problem, KYMO_USAGE,
					"--print-format takes txt, json, xml, not '%.*s'",
					(int)length, item);
			forms[form] = true;
		}
	}
	if (!words->is_given)
		forms[INSTRUMENT_TEXT] = forms[INSTRUMENT_JSON] = true;
	return KYMO_OK;
}

/* The folder of --print-dir, or one in the output folder; NULL = out of memory. */
static char *report_folder(const struct run_command *run)
{
	const struct vocabulary_words *given = &run->request.own[OWN_PRINT_DIRECTORY];
	const struct output_context context = run_output_context(run);
	char *output, *folder = NULL;

	if (given->is_given)
		return strdup(given->items[0]);
	output = output_expand(&context, settings_text(run->settings, SET_OUTPUT_PATH));
	if (output && asprintf(&folder, "%s/instrumentation", output) < 0)
		folder = NULL;
	free(output);
	return folder;
}

static enum kymo_status write_reports(const struct run_command *run,
				      const struct instrument_report *report,
				      struct problem *problem)
{
	bool forms[INSTRUMENT_FORM_COUNT] = {false};
	enum kymo_status status = take_forms(&run->request.own[OWN_PRINT_FORMAT], forms, problem);
	char *folder;

	if (status < 0)
		return status;
	folder = report_folder(run);
	if (!folder)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (int form = 0; form < INSTRUMENT_FORM_COUNT && status == KYMO_OK; form++)
		if (forms[form])
			status = instrument_report_write(report, folder, (enum instrument_form)form,
							 problem);
	free(folder);
	return status;
}

/* Prints the requested lists; without any, a simulation prints the summary. */
static enum kymo_status instrument_show(const struct run_command *run,
					const struct instrument_target *target,
					const struct function_rules *rules, struct problem *problem)
{
	const struct vocabulary_words *own = run->request.own;
	const struct instrument_report report = {target->choices, target->count, target->symbols,
						 function_rules_cost(rules)};
	bool has_shown = false;
	char line[512];

	for (int list = 0; list < LIST_COUNT; list++) {
		const struct vocabulary_words *words = &own[OWN_PRINT_AVAILABLE + list];

		if (words->is_given)
			instrument_report_print(&report, (enum instrument_list)list,
						words->count ? words->items[0] : "functions");
		has_shown |= words->is_given;
	}
	for (size_t i = 0; i < target->count; i++) {
		instrument_report_summary(&target->choices[i], line, sizeof(line));
		if (own[OWN_SIMULATE].is_given && !has_shown)
			plaintext_print(stdout, "%s\n", line);
		else if (settings_integer(run->settings, SET_VERBOSE) >= 1)
			run_print("%s", line);
	}
	return own[OWN_PRINT_FORMAT].is_given || own[OWN_PRINT_DIRECTORY].is_given
		       ? write_reports(run, &report, problem)
		       : KYMO_OK;
}

static enum kymo_status instrument_refuse(const char *name, const char *why, const char *rest,
					  struct problem *problem)
{
	return problem_set(problem, KYMO_ERROR, "cannot instrument '%s': it %s%s", name, why, rest);
}

/* At run time the preloaded collector is required. */
static enum kymo_status check_loadable(const char *name, const struct exec_facts *facts,
				       struct problem *problem)
{
	switch (facts->obstacle) {
	case EXEC_STATIC:
	case EXEC_OTHER_LIBC:
	case EXEC_OTHER_BITS:
	case EXEC_PRIVILEGED:
		return instrument_refuse(name, exec_obstacle_text(facts->obstacle),
					 ", so that nothing can be loaded into it", problem);
	default:
		return KYMO_OK;
	}
}

static enum kymo_status check_original(const char *name, const struct instrument_target *target,
				       bool is_copied, struct problem *problem)
{
	if (target->facts.obstacle == EXEC_FOREIGN)
		return instrument_refuse(name, exec_obstacle_text(EXEC_FOREIGN), "", problem);
	if (is_copied && target->facts.obstacle == EXEC_OTHER_LIBC)
		return instrument_refuse(name, exec_obstacle_text(EXEC_OTHER_LIBC),
					 ", so that a copy could not be recorded either", problem);
	if (!rewrite_find(target->elf, NULL))
		return KYMO_OK;
	return instrument_refuse(name, "is an instrumented copy already",
				 ": start it by 'kymo run', or instrument the original", problem);
}

static enum kymo_status check_taken(const struct instrument_target *target, struct problem *problem)
{
	const struct function_choice *choice = &target->choices[0];

	for (size_t i = 0; i < target->count; i++)
		if (target->choices[i].counts.taken > 0)
			return KYMO_OK;
	if (choice->counts.possible == 0)
		return problem_set(problem, KYMO_ERROR,
				   "none of the %" PRIu64 " functions of '%s' can be instrumented; "
				   "--simulate --print-format=txt says why",
				   choice->counts.found, choice->path);
	return problem_set(problem, KYMO_ERROR,
			   "no function is selected: of the %" PRIu64 " of '%s' that can be "
			   "instrumented all are excluded; --simulate --print-format=txt says why",
			   choice->counts.possible, choice->path);
}

static enum kymo_status instrument_check_options(const struct run_command *run,
						 struct problem *problem)
{
	const struct vocabulary_words *own = run->request.own;
	bool forms[INSTRUMENT_FORM_COUNT] = {false};

	if (take_forms(&own[OWN_PRINT_FORMAT], forms, problem) != KYMO_OK)
		return KYMO_USAGE;
	if (own[OWN_ENVIRONMENT].is_given && !own[OWN_OUTPUT].is_given)
		return problem_set(problem, KYMO_USAGE,
				   "--env goes with --output only: a program that is started has "
				   "the variables of this command");
	for (size_t i = 0; i < own[OWN_ENVIRONMENT].count; i++) {
		const char *item = own[OWN_ENVIRONMENT].items[i];

		if (item[strcspn(item, "=")] == '\0' || item[0] == '=')
			return problem_set(problem, KYMO_USAGE, "--env takes NAME=VALUE, not '%s'",
					   item);
	}
	if (own[OWN_OUTPUT].is_given &&
	    settings_source(run->settings, SET_FUNCTIONS_BUDGET) == SETTING_FROM_COMMAND)
		return problem_set(problem, KYMO_USAGE,
				   "--budget applies while a program runs: it does not go with "
				   "--output");
	if (own[OWN_OUTPUT].is_given && own[OWN_SIMULATE].is_given)
		return problem_set(problem, KYMO_USAGE,
				   "--output and --simulate exclude each other");
	if (own[OWN_OUTPUT].is_given && run->program[1])
		return problem_set(problem, KYMO_USAGE,
				   "--output takes one file and runs nothing: '%s' is not used",
				   run->program[1]);
	return KYMO_OK;
}

static enum kymo_status rewrite(const struct run_command *run, struct instrument_target *target,
				const struct function_rules *rules, struct problem *problem)
{
	const struct vocabulary_words *own = run->request.own;
	const char *output = own[OWN_OUTPUT].items[0], *name = run->program[0];
	const struct rewrite_options options = {own[OWN_ENVIRONMENT].items,
						own[OWN_ENVIRONMENT].count};
	struct rewrite_result result;
	enum kymo_status status;
	char line[512];

	if (target->facts.script_depth > 0)
		return problem_set(problem, KYMO_ERROR,
				   "cannot instrument '%s': it is a script; instrument its "
				   "interpreter, '%s'",
				   name, target->elf);
	status = instrument_target_choose(target, rules, false, problem);
	if (status == KYMO_OK)
		status = check_taken(target, problem);
	if (status == KYMO_OK)
		status = rewrite_file(target->path, output, &target->choices[0].plan,
				      target->choices[0].taken, &options, &result, problem);
	if (status == KYMO_OK)
		status = instrument_show(run, target, rules, problem);
	if (status < 0)
		return status;
	instrument_report_summary(&target->choices[0], line, sizeof(line));
	if (!settings_bool(run->settings, SET_QUIET))
		plaintext_print(stdout, "%s -> %s, %.1f -> %.1f MB\n", line, output,
				(double)result.size_before * 1e-6,
				(double)result.size_after * 1e-6);
	return KYMO_OK;
}

/* Makes the plan and the choice, so that errors in them are reported here. */
static enum kymo_status instrument_prepare(const struct run_command *run,
					   struct instrument_target *target,
					   const struct function_rules *rules,
					   struct problem *problem)
{
	bool is_simulated = run->request.own[OWN_SIMULATE].is_given;
	bool has_libraries = is_simulated || run->request.own[OWN_PRINT_FORMAT].is_given ||
			     run->request.own[OWN_PRINT_DIRECTORY].is_given;
	enum kymo_status status = KYMO_OK;

	if (!is_simulated)
		status = check_loadable(run->program[0], &target->facts, problem);
	if (status == KYMO_OK)
		status = instrument_target_choose(target, rules, has_libraries, problem);
	if (status == KYMO_OK && !is_simulated && !function_rules_want_libraries(rules))
		status = check_taken(target, problem);
	if (status == KYMO_OK)
		status = instrument_show(run, target, rules, problem);
	/* If it cannot be cached, the program requests it and receives it by descriptor. */
	if (status == KYMO_OK && !is_simulated && function_rules_key(rules)[0])
		(void)function_choice_write(&target->choices[0], function_rules_key(rules),
					    problem);
	return status;
}

/* A program that does not exist, or cannot run, is left to kymo run. */
static bool is_for_run(const struct run_command *run, const struct instrument_target *target)
{
	return !run->request.own[OWN_SIMULATE].is_given &&
	       (target->facts.obstacle == EXEC_NOT_EXECUTABLE ||
		target->facts.obstacle == EXEC_NO_INTERPRETER ||
		target->facts.obstacle == EXEC_NO_FORMAT || target->facts.obstacle == EXEC_FOREIGN);
}

static int instrument_cmd_instrument(struct run_command *run)
{
	const struct vocabulary_words *own = run->request.own;
	struct instrument_target target = {.count = 0};
	struct function_rules *rules = NULL;
	struct problem problem;
	enum kymo_status status = instrument_check_options(run, &problem);
	int exit_status = RUN_GO_ON;

	if (status == KYMO_OK)
		status = function_rules_new(run->settings, &rules, &problem);
	if (status < 0)
		return instrument_fail(status, &problem);
	if (!instrument_target_find(&target, run->program[0])) {
		if (own[OWN_OUTPUT].is_given || own[OWN_SIMULATE].is_given)
			status =
				problem_set(&problem, KYMO_ERROR,
					    "there is no program or library '%s'", run->program[0]);
	} else if (own[OWN_OUTPUT].is_given || !is_for_run(run, &target)) {
		status = check_original(run->program[0], &target, own[OWN_OUTPUT].is_given,
					&problem);
		if (status == KYMO_OK && own[OWN_OUTPUT].is_given)
			status = rewrite(run, &target, rules, &problem);
		else if (status == KYMO_OK) {
			function_rules_fit_limits(rules);
			if (patchsanitized_is(target.elf))
				function_rules_without_calls(rules);
			if (settings_number(run->settings, SET_FUNCTIONS_BUDGET) > 0)
				function_rules_add_variant(rules, PLAN_VARIANT_THROTTLE);
			status = instrument_prepare(run, &target, rules, &problem);
		}
	}
	if (status < 0)
		exit_status = instrument_fail(status, &problem);
	else if (own[OWN_OUTPUT].is_given || own[OWN_SIMULATE].is_given)
		exit_status = command_finish_output();
	fflush(stdout);
	instrument_target_release(&target);
	function_rules_free(rules);
	return exit_status;
}

int cmd_instrument(int argc, char **argv)
{
	static const struct run_flavour flavour = {
		.name = "kymo instrument",
		.word = "instrument",
		.description =
			"Runs a program and records the calls of its native functions, without "
			"recompiling it; with -o writes a copy of a program or library that does "
			"so. It takes all options of 'kymo run', too." RUN_OPTIONS_END,
		.defaults = "FUNCTIONS=ON",
		.dialect = &instrument_dialect,
		.before = instrument_cmd_instrument,
	};

	return run_command(&flavour, argc, argv);
}
