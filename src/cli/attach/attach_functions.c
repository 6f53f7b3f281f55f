/* Plans are made here, before the process is touched; the process receives the settings, as a
 * program that is started with the collector has them in its environment. */
#include "cli/attach/attach_functions.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach/functions/functionstarget.h"
#include "base/text/textbuf.h"
#include "cli/attach/staging.h"
#include "cli/commands.h"
#include "cli/instrument/function_choice.h"
#include "cli/installed.h"
#include "config/run/rundirectory.h"
#include "format/format.h"
#include "model/code/symbols.h"
#include "patch/apply/patchtiming.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define NS_PER_MS 1e6

struct planning {
	const struct function_rules *rules;
	struct symbols *symbols;
	uint64_t taken;
};

/* A library that cannot be analysed is skipped; the program itself must be analysable. */
static enum kymo_status functions_plan_file(void *context, const char *path, bool is_program,
					    struct problem *problem)
{
	struct planning *planning = context;
	const char *key = function_rules_key(planning->rules);
	struct function_choice choice;
	enum kymo_status status;

	if (function_rules_judge_file(planning->rules, path, is_program) != FUNCTION_TAKEN)
		return KYMO_OK;
	status = function_choice_make(path, is_program, planning->rules, planning->symbols, &choice,
				      problem);
	if (status < 0)
		return is_program ? status : KYMO_OK;
	planning->taken += choice.counts.taken;
	/* If it cannot be cached, the collector requests it and receives it by descriptor. */
	if (key[0])
		(void)function_choice_write(&choice, key, problem);
	function_choice_release(&choice);
	return status;
}

static enum kymo_status make_plans(struct functionstarget *functions,
				   const struct function_rules *rules, struct problem *problem)
{
	struct planning planning = {rules, symbols_new(), 0};
	enum kymo_status status;

	if (!planning.symbols)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = functionstarget_files(functions, functions_plan_file, &planning, problem);
	symbols_free(planning.symbols);
	if (status == KYMO_OK && planning.taken == 0)
		return problem_set(problem, KYMO_ERROR,
				   "no function of process %d is selected that can be instrumented",
				   (int)functions->target.pid);
	return status;
}

static void add_setting(struct textbuf *text, const char *name, const char *value)
{
	textbuf_format(text, "KYMO_%s=%s", name, value);
	textbuf_bytes(text, "", 1);
}

static void functions_add_own(struct textbuf *text, const char *name)
{
	const char *value = getenv(name);

	if (!value)
		return;
	textbuf_format(text, "%s=%s", name, value);
	textbuf_bytes(text, "", 1);
}

/* The settings that differ from the defaults, those derived from them, and the run to join. */
static void functions_put_settings(struct textbuf *text, const struct settings *settings,
				   const struct function_rules *rules,
				   const struct staging *staging, const char *directory)
{
	static const char prefix[] = "KYMO_RUN_";
	char path[PATH_MAX];
	const char *cache = staging_cache(staging, true, path);

	for (int id = 0; id < SETTING_COUNT; id++)
		if (settings_source(settings, (enum setting_id)id) != SETTING_FROM_DEFAULT &&
		    id != SET_FUNCTIONS_TIMING && id != SET_FUNCTIONS_KEY && id != SET_FINISH &&
		    id != SET_RUN_DIR && id != SET_CONFIG_FILE && id != SET_SUPPRESS_CONFIG &&
		    id != SET_SUPPRESS_PARSING && !(staging->is_used && id == SET_RECORD_PATH))
			add_setting(text, setting_table[id].name,
				    settings_text(settings, (enum setting_id)id));
	add_setting(text, "FUNCTIONS_TIMING", patchtiming_name(function_rules_cost(rules)));
	add_setting(text, "FUNCTIONS_KEY", function_rules_key(rules));
	add_setting(text, "SUPPRESS_CONFIG", "ON");
	add_setting(text, "FINISH", "OFF");
	/* The location of the plans' cache. */
	if (cache) {
		textbuf_format(text, "XDG_CACHE_HOME=%s", cache);
		textbuf_bytes(text, "", 1);
	} else {
		functions_add_own(text, "HOME");
		functions_add_own(text, "XDG_CACHE_HOME");
	}
	rundirectory_export(staging_run(staging, directory, path), 0, NULL);
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, prefix, sizeof(prefix) - 1) == 0)
			textbuf_bytes(text, *entry, strlen(*entry) + 1);
	textbuf_bytes(text, "", 1);
	rundirectory_export(directory, 0, NULL);
}

static void functions_print_begin(const struct attach_request *request,
				  const struct functionstarget *functions)
{
	if (attach_is_quiet(request))
		return;
	fprintf(stderr,
		"kymo: %llu functions of process %d (%s) are instrumented; it was paused "
		"for %.1f ms%s\n",
		(unsigned long long)functions->functions, (int)functions->target.pid,
		functions->target.name, (double)functions->stopped_ns / NS_PER_MS,
		request->duration_s > 0 ? "" : "; Ctrl-C ends it and shows the result");
	if (functions->excluded_count > 0)
		fprintf(stderr,
			"kymo: %llu functions are not instrumented: calls will return into code "
			"that would be patched\n",
			(unsigned long long)functions->excluded_count);
}

static void functions_print_end(const struct attach_request *request,
				const struct functionstarget *functions, bool has_ended)
{
	if (attach_is_quiet(request))
		return;
	if (has_ended)
		fprintf(stderr, "kymo: process %d has ended\n", (int)functions->target.pid);
	else
		fprintf(stderr,
			"kymo: the functions of process %d are restored; it was paused for %.1f "
			"ms\n",
			(int)functions->target.pid, (double)functions->stopped_ns / NS_PER_MS);
}

/* The recordings that the process has made there. */
static void each_recording(const struct functionstarget *functions, const char *directory,
			   void (*what)(const char *path))
{
	char path[2 * PATH_MAX], end[32];
	struct dirent *entry;
	DIR *folder = opendir(directory);

	snprintf(end, sizeof(end), "-%d.kymo", (int)functions->target.pid);
	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		if (length < strlen(end) || strcmp(entry->d_name + length - strlen(end), end) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		what(path);
	}
	if (folder)
		closedir(folder);
}

static void functions_unlink(const char *path)
{
	unlink(path);
}

/* Nothing was instrumented: removes the open recording, and the folder if it is empty. */
static void functions_discard(const struct functionstarget *functions, char directory[PATH_MAX])
{
	each_recording(functions, directory, functions_unlink);
	rmdir(directory);
	directory[0] = '\0';
}

/* Adds this process's CPU time to the recording that the other process has closed.  The folder may
 * be another user's, who could have put another file under that name. */
static void functions_record_cost(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct kymo_header header;
	struct stat status;

	if (file < 0)
		return;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
	    pread(file, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	    memcmp(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic)) == 0) {
		header.beside_cpu_ns += usage_own_ns();
		(void)!pwrite(file, &header.beside_cpu_ns, sizeof(header.beside_cpu_ns),
			      offsetof(struct kymo_header, beside_cpu_ns));
	}
	close(file);
}

static enum kymo_status functions_begin(const struct attach_request *request,
					const struct function_rules *rules, struct staging *staging,
					struct functionstarget *functions, char directory[PATH_MAX],
					struct problem *problem)
{
	struct textbuf settings = {0};
	char path[PATH_MAX];
	const char *cache = staging_cache(staging, false, path);
	enum kymo_status status = KYMO_OK;
	size_t size;
	char *text;

	if (cache && setenv("XDG_CACHE_HOME", cache, 1) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = make_plans(functions, rules, problem);
	if (status == KYMO_OK)
		status = staging_hand_over(staging, problem);

	if (status == KYMO_OK)
		status = attach_make_directory(request, &functions->target, directory, PATH_MAX,
					       problem);
	if (status < 0)
		return status;
	clock_select(settings_text(request->settings, SET_CLOCK));
	functions_put_settings(&settings, request->settings, rules, staging, directory);
	size = settings.length;
	text = textbuf_take(&settings);
	status = text ? functionstarget_instrument(functions, text, size, problem)
		      : problem_set(problem, KYMO_MEMORY, "out of memory");
	free(text);
	if (status < 0)
		functions_discard(functions, directory);
	return status;
}

static enum kymo_status functions_record(const struct attach_request *request,
					 const struct function_rules *rules,
					 const volatile sig_atomic_t *must_stop,
					 char directory[PATH_MAX], struct problem *problem)
{
	char *library = installed_library(PATCHATTACH_LIBRARY);
	struct functionstarget functions;
	struct staging staging;
	struct problem later;
	enum kymo_status status;
	bool is_there;

	if (!library)
		return problem_set(
			problem, KYMO_UNAVAILABLE,
			"this build of kymo cannot instrument functions: '%s' is missing",
			PATCHATTACH_LIBRARY);
	status = staging_open(&staging, request->pid, library, problem);
	if (status == KYMO_OK)
		status = functionstarget_open(&functions, request->pid, staging.library,
					      staging.is_loaded ? NULL : library, problem);
	if (status < 0) {
		staging_close(&staging, "", &later);
		free(library);
		return status;
	}
	status = functions_begin(request, rules, &staging, &functions, directory, problem);
	if (status == KYMO_OK) {
		functions_print_begin(request, &functions);
		is_there = functionstarget_wait(&functions, request->duration_s, must_stop);
		status = functionstarget_undo(&functions, problem);
		each_recording(&functions, directory, functions_record_cost);
		if (status == KYMO_OK)
			functions_print_end(request, &functions, !is_there);
	}
	functionstarget_close(&functions);
	if (staging_close(&staging, directory, &later) < 0 && status == KYMO_OK)
		status = problem_set(problem, KYMO_SYSTEM, "%s", later.text);
	free(library);
	return status;
}

int attach_functions(const struct attach_request *request, const volatile sig_atomic_t *must_stop,
		     char directory[PATH_MAX])
{
	struct function_rules *rules = NULL;
	struct problem problem;
	enum kymo_status status = function_rules_new(request->settings, &rules, &problem);

	directory[0] = '\0';
	if (status == KYMO_OK) {
		function_rules_without_calls(rules);
		status = functions_record(request, rules, must_stop, directory, &problem);
	}
	function_rules_free(rules);
	return status < 0 ? command_fail(status, &problem) : 0;
}
