/* kymo run: runs a program so that it is recorded.
 *
 * Options become environment variables, the run's directory is made, and this process becomes the
 * program: its process id, its terminal and its status are the program's own. With --fork it waits
 * for the program instead. */
#include "cli/run/run_command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/text/listitem.h"
#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "cli/commands.h"
#include "cli/counter_names.h"
#include "cli/options/options.h"
#include "cli/presets/preset.h"
#include "cli/presets/preset_list.h"
#include "cli/options/vocabulary_help.h"
#include "cli/run/run_environment.h"
#include "cli/run/run_functions.h"
#include "cli/run/run_folder.h"
#include "cli/run/run_program.h"
#include "cli/run/run_start.h"
#include "cli/run/run_wait.h"
#include "cli/run/run_watch.h"
#include "config/periods.h"
#include "config/run/rundirectory.h"
#include "config/settings_ignore.h"
#include "config/settings_load.h"
#include "format/metric.h"
#include "platform/usage.h"

#define USAGE "[options] [--] PROGRAM [arguments]"

static const char *command_name; /* prefix of messages */

void run_print(const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fflush(stdout);
	plaintext_print(stderr, "%s: %s\n", command_name, line);
}

static int run_fail(int exit_status, const struct problem *problem)
{
	run_print("%s", problem->text);
	return exit_status;
}

/* The settings from options, environment and files. */
static enum kymo_status run_load_settings(struct run_command *run, struct problem *problem)
{
	const char *overrides[SETTING_COUNT + 1] = {NULL};
	char *lines[SETTING_COUNT] = {NULL};
	enum kymo_status status = KYMO_OK;
	size_t count = 0;

	settings_free(run->settings);
	run->settings = settings_new();
	for (int id = 0; id < SETTING_COUNT && status == KYMO_OK; id++) {
		const char *value = run->request.choices[id].value;

		if (!value)
			continue;
		if (asprintf(&lines[count], "%s=%s", setting_table[id].name, value) < 0) {
			lines[count] = NULL;
			status = KYMO_MEMORY;
		} else {
			overrides[count] = lines[count];
			count++;
		}
	}
	if (!run->settings || status < 0)
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	else
		status = settings_load(run->settings, environ, overrides, problem);
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	return status;
}

/* A preset overrides the environment and yields to the options. */
static enum kymo_status apply_preset(struct run_command *run, struct problem *problem)
{
	const char *name = run->request.actions[ACTION_PRESET];
	struct preset preset;
	enum kymo_status status = preset_load(run->settings, name, &preset, problem);

	for (int id = 0; id < SETTING_COUNT && status == KYMO_OK; id++)
		if (preset.values[id] && !run->request.choices[id].value)
			status = vocabulary_choose(&run->request, (enum setting_id)id,
						   preset.values[id], true, problem);
	if (status == KYMO_OK)
		status = run_load_settings(run, problem);
	if (status == KYMO_OK && settings_integer(run->settings, SET_VERBOSE) >= 1)
		for (size_t i = 0; i < preset.missing_count; i++)
			run_print("preset '%s': %s, which this build does not have", preset.name,
				  preset.missing[i]);
	preset_release(&preset);
	return status;
}

static enum kymo_status run_check_components(struct run_command *run, struct problem *problem)
{
	const char *rest = settings_text(run->settings, SET_TIMEMORY_COMPONENTS), *item;
	char name[64];
	size_t length;

	while (listitem_next(&rest, &item, &length)) {
		snprintf(name, sizeof(name), "%.*s", (int)length, item);
		if (!metric_find(name))
			return problem_set(problem, KYMO_USAGE,
					   "unknown component '%s'; 'kymo avail --components' "
					   "lists them",
					   name);
	}
	return KYMO_OK;
}

static enum kymo_status check_counters(struct run_command *run, struct problem *problem)
{
	return counters_check(run->settings, problem);
}

static enum kymo_status run_check_windows(struct run_command *run, struct problem *problem)
{
	struct periods periods;

	return periods_from_settings(run->settings, &periods, problem);
}

/* -1 stands for the general frequency; 0 is invalid. */
static enum kymo_status check_frequencies(struct run_command *run, struct problem *problem)
{
	static const enum setting_id frequencies[] = {
		SET_SAMPLING_REALTIME_FREQ, SET_SAMPLING_CPUTIME_FREQ, SET_SAMPLING_OVERFLOW_FREQ};

	for (size_t i = 0; i < sizeof(frequencies) / sizeof(*frequencies); i++) {
		double frequency = settings_number(run->settings, frequencies[i]);

		if (frequency > 0 || frequency == -1)
			continue;
		return problem_set(problem, KYMO_USAGE,
				   "KYMO_%s cannot be '%s': give a number above 0, or -1 for that "
				   "of all samples",
				   setting_table[frequencies[i]].name,
				   settings_text(run->settings, frequencies[i]));
	}
	return KYMO_OK;
}

/* Options of other tools without effect do not stop a script.  In a run that another command began,
 * that command has printed the warnings. */
static void run_print_warnings(const struct run_command *run)
{
	if (settings_bool(run->settings, SET_QUIET) ||
	    settings_text(run->settings, SET_RUN_DIR)[0] != '\0')
		return;
	for (size_t i = 0; i < settings_warning_count(run->settings); i++)
		run_print("%s", settings_warning(run->settings, i));
	for (size_t i = 0; i < run->request.noted_count; i++)
		run_print("'--%s' is ignored: %s", run->request.noted[i]->option.name,
			  run->request.noted[i]->why);
}

/* The defaults of this command for settings that are not given. */
static enum kymo_status take_defaults(struct run_command *run, struct problem *problem)
{
	const char *rest = run->flavour->defaults;
	enum kymo_status status = KYMO_OK;
	struct vocabulary_effect effect;
	char value[64];

	while (status == KYMO_OK && vocabulary_effect_next(&rest, &effect)) {
		bool is_given = effect.is_weak ? settings_source(run->settings, effect.id) !=
							 SETTING_FROM_DEFAULT
					       : run->request.choices[effect.id].value != NULL;

		snprintf(value, sizeof(value), "%.*s", (int)effect.length, effect.value);
		if (!is_given)
			status = vocabulary_choose(&run->request, effect.id, value, true, problem);
	}
	return status == KYMO_OK && run->flavour->defaults[0] ? run_load_settings(run, problem)
							      : status;
}

/* Checks beyond a setting's type, and the settings to which they apply. */
static const struct setting_check {
	enum kymo_status (*check)(struct run_command *run, struct problem *problem);
	const char *names;
} setting_checks[] = {
	{run_check_components, "TIMEMORY_COMPONENTS"},
	{check_counters, "PAPI_EVENTS SAMPLING_OVERFLOW_EVENT"},
	{check_frequencies, "SAMPLING_REALTIME_FREQ SAMPLING_CPUTIME_FREQ SAMPLING_OVERFLOW_FREQ"},
	{run_functions_choose, "FUNCTIONS"},
	{run_check_windows, "TRACE_PERIOD TRACE_DELAY TRACE_DURATION"},
};

/* Options that cannot be honoured are errors; environment variables are warnings. */
static enum kymo_status run_check_settings(struct run_command *run, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < sizeof(setting_checks) / sizeof(*setting_checks); i++) {
		const struct setting_check *each = &setting_checks[i];

		do
			status = each->check(run, problem);
		while (status < 0 && status != KYMO_MEMORY &&
		       settings_ignore_environment(run->settings, each->names, problem) == KYMO_OK);
		if (status < 0)
			return status;
	}
	return status;
}

static enum kymo_status run_resolve(struct run_command *run, struct problem *problem)
{
	enum kymo_status status = run_load_settings(run, problem);

	if (status == KYMO_OK && run->request.actions[ACTION_PRESET])
		status = apply_preset(run, problem);
	if (status == KYMO_OK)
		status = take_defaults(run, problem);
	return status == KYMO_OK ? run_check_settings(run, problem) : status;
}

static enum kymo_status run_explain(const struct run_command *run, struct problem *problem)
{
	struct preset preset;
	enum kymo_status status =
		preset_load(run->settings, run->request.actions[ACTION_EXPLAIN], &preset, problem);

	if (status == KYMO_OK)
		preset_explain(&preset, stdout);
	preset_release(&preset);
	return status;
}

static enum kymo_status export_settings(const struct run_command *run, struct problem *problem)
{
	const char *path = run->request.actions[ACTION_EXPORT];
	struct outfile file;
	enum kymo_status status = outfile_open_stream(&file, *path ? path : "-", problem);

	if (status < 0)
		return status;
	preset_export(run->settings, file.stream);
	return outfile_commit(&file, problem);
}

/* True if the command line has such an action; status is its result. */
static bool run_answer(const struct run_command *run, enum kymo_status *status,
		       struct problem *problem)
{
	const char *const *actions = run->request.actions;

	if (actions[ACTION_LIST_PRESETS])
		*status = preset_list(run->settings, stdout, problem);
	else if (actions[ACTION_EXPLAIN])
		*status = run_explain(run, problem);
	else if (actions[ACTION_EXPORT])
		*status = export_settings(run, problem);
	else
		return false;
	return true;
}

static int report_failure(const struct run_command *run, int error)
{
	run_folder_undo(&run->folder);
	run_print("cannot run '%s': %s", run->program[0], strerror(error));
	return error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
}

/* The CPU time of this command is part of the overhead. */
static void run_export_launch(const struct run_command *run)
{
	if (run->folder.is_own && run->is_recorded)
		rundirectory_export_launch(usage_own_ns());
}

static int cmd_run_start(struct run_command *run)
{
	int error = 0, status;

	if (!run->is_fork) {
		run_watch(run);
		run_export_launch(run);
		return report_failure(run, run_exec(run));
	}
	run_export_launch(run);
	status = run_wait(run, &error);
	return status < 0 ? report_failure(run, error) : status;
}

static bool has_launcher(const struct run_command *run)
{
	const char *pattern = run->request.actions[ACTION_LAUNCHER];

	return pattern && *pattern;
}

/* The program that the launcher starts joins the run that is made here. */
static enum kymo_status run_prepare(struct run_command *run, char **argv, struct problem *problem)
{
	bool is_launcher = has_launcher(run);
	enum kymo_status status;

	run->is_fork |= run->request.actions[ACTION_FORK] || is_launcher;
	status = run_folder_open(run, problem);
	/* This process has another run to finish. */
	run->is_fork |= run->folder.is_own && rundirectory_root(environ) == getpid();
	run->is_fork |= run->folder.is_own && run_is_on_terminal(run);
	if (status == KYMO_OK && is_launcher) {
		run->is_recorded = false;
		status = run_launcher_insert(run, argv, problem);
	}
	if (status == KYMO_OK)
		status = run_environment_set(run, problem);
	if (status < 0)
		run_folder_undo(&run->folder);
	return status;
}

/* If the user chose the folder, failing to make it is an error before anything runs. */
static bool is_folder_given(const struct run_command *run)
{
	const struct vocabulary_choice *choices = run->request.choices;

	return choices[SET_OUTPUT_PATH].value || choices[SET_RUN_DIR].value;
}

static int run_record(struct run_command *run, char **argv, struct problem *problem)
{
	enum kymo_status status;
	bool is_copy = false;
	int exit_status = run_program_find(run, problem);

	if (exit_status != 0)
		return run_fail(exit_status, problem);
	run_environment_remember();
	status = run_functions_copy(run, &is_copy, problem);
	if (status == KYMO_OK && is_copy)
		status = run_resolve(run, problem);
	if (status < 0)
		return run_fail(status_exit_code(status), problem);
	if (!settings_bool(run->settings, SET_ENABLED) || !(run->is_recorded || has_launcher(run)))
		return cmd_run_start(run);
	status = run_prepare(run, argv, problem);
	if (status == KYMO_SYSTEM && !is_folder_given(run)) {
		run_print("%s; the program continues unrecorded", problem->text);
		return cmd_run_start(run);
	}
	if (status < 0)
		return run_fail(status_exit_code(status), problem);
	if (settings_integer(run->settings, SET_VERBOSE) >= 1)
		run_environment_show(run);
	return cmd_run_start(run);
}

static int run_execute(struct run_command *run, int argc, char **argv, struct problem *problem)
{
	enum kymo_status status = run_resolve(run, problem);

	if (status < 0)
		return run_fail(status_exit_code(status), problem);
	if (run_answer(run, &status, problem))
		return status < 0 ? run_fail(status_exit_code(status), problem)
				  : command_finish_output();
	if (run->request.program >= (size_t)argc) {
		run_print("no program to run; see '%s --help'", command_name);
		return 2;
	}
	run->program = argv + run->request.program;
	run_print_warnings(run);
	if (run->flavour->before) {
		int exit_status = run->flavour->before(run);

		if (exit_status != RUN_GO_ON)
			return exit_status;
	}
	return run_record(run, argv, problem);
}

int run_command(const struct run_flavour *flavour, int argc, char **argv)
{
	const struct vocabulary_about about = {flavour->name, USAGE, flavour->description,
					       flavour->dialect};
	struct run_command run = {.flavour = flavour};
	struct problem problem;
	enum kymo_status status;
	const char *topic;
	int exit_status;

	command_name = flavour->name;
	status = options_parse_program(command_name, flavour->dialect, argc, argv, &run.request,
				       &problem);
	topic = run.request.actions[ACTION_HELP];
	if (status == KYMO_OK && topic)
		status = vocabulary_help(&about, topic, &problem);
	if (status < 0) {
		exit_status = run_fail(status_exit_code(status), &problem);
	} else if (topic) {
		exit_status = command_finish_output();
	} else if (run.request.actions[ACTION_VERSION]) {
		puts("kymo " KYMO_VERSION);
		exit_status = command_finish_output();
	} else {
		exit_status = run_execute(&run, argc, argv, &problem);
	}
	settings_free(run.settings);
	vocabulary_request_release(&run.request);
	return exit_status;
}

int cmd_run(int argc, char **argv)
{
	static const struct run_flavour flavour = {"kymo run",
						   "run",
						   "Runs a program and records what it and the "
						   "processes it starts do." RUN_OPTIONS_END,
						   "",
						   NULL,
						   NULL};

	return run_command(&flavour, argc, argv);
}
