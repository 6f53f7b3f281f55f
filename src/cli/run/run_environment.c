/* The environment of the program.
 *
 * This process's own environment is changed, since it is about to become the program, or to start
 * it.  Relative paths are made absolute: the program, or one that it starts, may have another
 * working directory when they are read. */
#include "cli/run/run_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "cli/installed.h"
#include "cli/run/run_command.h"
#include "cli/terminal.h"
#include "config/collectors.h"
#include "config/run/rundirectory.h"
#include "config/setting_names.h"
#include "platform/ticks.h"

#define PRELOAD	       "LD_PRELOAD"
#define PYTHON_PATH    "PYTHONPATH"
#define PYTHON_OPTIONS "KYMO_PYTHON_OPTIONS"

static char **remembered; /* the environment's entries as they were */
static size_t remembered_count;

static enum kymo_status environment_out_of_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

static bool environment_set(const char *name, const char *value)
{
	return setenv(name, value, 1) == 0;
}

/* The items of list (may be NULL) except those equal to item, separated by colons, preceded by item
 * unless it is to be removed.  Lists that may also be separated by blanks have no empty items. */
static char *with_item(const char *list, const char *item, bool is_in, const char *separators)
{
	struct textbuf text = {0};
	size_t length = strlen(item);
	bool is_first = !is_in, keeps_empty = separators[1] == '\0';

	textbuf_text(&text, is_in ? item : "");
	for (const char *end; list && *list; list = *end ? end + 1 : end) {
		size_t size = strcspn(list, separators);

		end = list + size;
		if ((size == length && memcmp(list, item, size) == 0) ||
		    (size == 0 && !keeps_empty))
			continue;
		textbuf_text(&text, is_first ? "" : ":");
		textbuf_bytes(&text, list, size);
		is_first = false;
	}
	return textbuf_take(&text);
}

static char *absolute_list(const char *list)
{
	struct textbuf text = {0};
	char *folder = getcwd(NULL, 0);

	while (folder && *(list += strspn(list, ":;"))) {
		size_t length = strcspn(list, ":;");

		textbuf_text(&text, text.length ? ":" : "");
		if (*list != '/' && strncmp(list, "~/", 2) != 0)
			textbuf_format(&text, "%s/", folder);
		textbuf_bytes(&text, list, length);
		list += length;
	}
	textbuf_text(&text, "");
	text.has_failed |= !folder;
	free(folder);
	return textbuf_take(&text);
}

static enum kymo_status set_absolute(const struct settings *settings, enum setting_id id,
				     struct problem *problem)
{
	const char *value = settings_text(settings, id);
	char name[64], *absolute;
	bool is_set;

	if (!value[0])
		return KYMO_OK;
	snprintf(name, sizeof(name), "KYMO_%s", setting_table[id].name);
	absolute = absolute_list(value);
	is_set = absolute && environment_set(name, absolute);
	free(absolute);
	return is_set ? KYMO_OK : environment_out_of_memory(problem);
}

/* Unset variables of settings: all of them, or those that were ignored as invalid.  The program
 * would apply them, or warn of them again. */
static void clear_settings(const struct settings *settings, bool is_all)
{
	char name[128];

	for (char **entry = environ; *entry;) {
		size_t length = strcspn(*entry, "=");
		struct setting_name resolved = setting_name_resolve(*entry, length);
		bool is_setting = resolved.prefix != SETTING_PREFIX_NONE && resolved.id >= 0 &&
				  resolved.id != SET_RUN_DIR && length < sizeof(name);

		snprintf(name, sizeof(name), "%.*s", (int)length, *entry);
		if (!is_setting ||
		    !(is_all || settings_source(settings, (enum setting_id)resolved.id) <
					SETTING_FROM_ENVIRONMENT) ||
		    unsetenv(name) < 0)
			entry++;
	}
}

/* KYMO_SUPPRESS_PARSING would make the program ignore the command line's settings, too: the
 * variables that it suppresses are unset instead. */
static enum kymo_status set_settings(const struct run_command *run, struct problem *problem)
{
	bool is_deaf = settings_bool(run->settings, SET_SUPPRESS_PARSING);
	enum kymo_status status;
	char name[64];

	clear_settings(run->settings, is_deaf);
	for (int id = 0; id < SETTING_COUNT; id++) {
		const char *value = run->request.choices[id].value;

		snprintf(name, sizeof(name), "KYMO_%s", setting_table[id].name);
		if (value && id != SET_SUPPRESS_PARSING && !environment_set(name, value))
			return environment_out_of_memory(problem);
	}
	if (is_deaf && !environment_set("KYMO_SUPPRESS_CONFIG", "ON"))
		return environment_out_of_memory(problem);
	status = set_absolute(run->settings, SET_CONFIG_FILE, problem);
	if (status == KYMO_OK)
		status = set_absolute(run->settings, SET_FUNCTIONS_FILTER_FILE, problem);
	return status == KYMO_OK ? set_absolute(run->settings, SET_RECORD_PATH, problem) : status;
}

/* Prepend the library to LD_PRELOAD, or remove it.  If it is missing and not needed, less is
 * recorded. */
static enum kymo_status preload(const char *name, bool is_in, bool is_needed,
				struct problem *problem)
{
	char *path = installed_library(name), *list = NULL;
	enum kymo_status status = KYMO_OK;
	const char *before = getenv(PRELOAD);

	if (!path && is_in && is_needed)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "cannot record: there is no ../lib/%s beside this command",
				   name);
	if (path && is_in && strpbrk(path, ": "))
		status = problem_set(problem, KYMO_UNAVAILABLE,
				     "cannot record: LD_PRELOAD cannot hold a path with a "
				     "blank or a colon, as '%s' has",
				     path);
	if (path && status == KYMO_OK) {
		list = with_item(before, path, is_in, ": ");
		if (!list || (*list || before ? !environment_set(PRELOAD, list) : false))
			status = environment_out_of_memory(problem);
	}
	free(list);
	free(path);
	return status;
}

/* Whether calls are recorded, not only samples and series. */
static bool environment_has_calls(const struct settings *settings)
{
	return settings_bool(settings, SET_PROFILE) || settings_keep_events(settings);
}

static enum kymo_status set_libraries(const struct run_command *run, struct problem *problem)
{
	const struct settings *settings = run->settings;
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < collector_count && status == KYMO_OK; i++)
		status = preload(collector_table[i].library,
				 collector_is_wanted(&collector_table[i], settings), true, problem);
	/* Before those that need it, so that the loader need not search for it. */
	if (status == KYMO_OK)
		status = preload("libkymo.so", true, true, problem);
	return status;
}

static enum kymo_status set_python(const struct run_command *run, struct problem *problem)
{
	bool is_in =
		!run->request.actions[ACTION_NO_PYTHON] && environment_has_calls(run->settings);
	const char *before = getenv(PYTHON_PATH);
	char *boot = installed_python(), *list;
	bool is_set = true;

	if (!boot) /* built without Python */
		return KYMO_OK;
	list = with_item(before, boot, is_in, ":");
	if (!list)
		is_set = false;
	else if (*list)
		is_set = environment_set(PYTHON_PATH, list);
	else if (before && strstr(before, boot))
		unsetenv(PYTHON_PATH);
	if (!is_in)
		unsetenv(PYTHON_OPTIONS);
	else if (!getenv(PYTHON_OPTIONS) || run->folder.is_own)
		is_set &= environment_set(PYTHON_OPTIONS, "record-all");
	free(list);
	free(boot);
	return is_set ? KYMO_OK : environment_out_of_memory(problem);
}

static void set_run(const struct run_command *run)
{
	clock_select(settings_text(run->settings, SET_CLOCK));
	if (run->folder.is_own)
		rundirectory_export(run->folder.directory, run->is_fork ? 0 : getpid(), NULL);
	else if (!getenv(RUN_ROOT_VARIABLE) && run->request.choices[SET_RUN_DIR].value)
		rundirectory_export(run->folder.directory, 0, NULL);
	else
		setenv(RUN_DIRECTORY_VARIABLE, run->folder.directory, 1);
}

enum kymo_status run_environment_set(struct run_command *run, struct problem *problem)
{
	enum kymo_status status = set_settings(run, problem);

	if (status < 0)
		return status;
	set_run(run);
	if (run->is_recorded)
		status = set_libraries(run, problem);
	return status == KYMO_OK ? set_python(run, problem) : status;
}

void run_environment_remember(void)
{
	for (char **entry = environ; *entry; entry++)
		if (!lines_add(&remembered, &remembered_count, "%s", *entry))
			return;
}

static bool was_there(const char *entry)
{
	for (size_t i = 0; i < remembered_count; i++)
		if (strcmp(remembered[i], entry) == 0)
			return true;
	return false;
}

static bool environment_was_removed(const char *entry)
{
	size_t length = strcspn(entry, "=") + 1;

	for (char **now = environ; *now; now++)
		if (strncmp(*now, entry, length) == 0)
			return false;
	return true;
}

static void show_variable(const char *on, const char *off, const char *entry, const char *rest)
{
	fputs(on, stderr);
	plaintext_print(stderr, "%.*s", (int)strcspn(entry, "="), entry);
	fputs(off, stderr);
	plaintext_print(stderr, "%s\n", rest);
}

void run_environment_show(const struct run_command *run)
{
	bool has_colour = terminal_has_colour(stderr, run->settings);
	const char *on = has_colour ? "\033[1m" : "", *off = has_colour ? "\033[0m" : "";

	for (size_t i = 0; i < remembered_count; i++)
		if (environment_was_removed(remembered[i]))
			show_variable(on, off, remembered[i], " is not set");
	for (char **entry = environ; *entry; entry++)
		if (!was_there(*entry))
			show_variable(on, off, *entry, *entry + strcspn(*entry, "="));
}
