/* The command kymo: finds the subcommand and runs it.
 *
 * A name that is not in the table is searched as an executable kymo-<name> beside this one:
 * commands in other languages (kymo python).  Serves commands.h. */
#include "cli/commands.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/filemode.h"
#include "base/text/plaintext.h"
#include "base/text/suggest.h"
#include "command/xalloc.h"
#include "config/settings.h"
#include "config/settings_load.h"
#include "platform/files/filehole.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary; /* NULL: internal, not listed */
};

static const struct command command_table[] = {
#define COMMAND(name, run, summary) {name, run, summary},
#include "cli/commands.def"
#undef COMMAND
};

#define COMMAND_COUNT (sizeof(command_table) / sizeof(*command_table))

int command_fail(enum kymo_status status, const struct problem *problem)
{
	fflush(stdout);
	fprintf(stderr, "kymo: %s\n", problem->text);
	return status_exit_code(status);
}

int command_finish_output(void)
{
	bool has_failed = ferror(stdout) != 0;
	int error;

	errno = 0;
	has_failed |= fflush(stdout) != 0;
	error = errno;
	if (!has_failed || error == EPIPE)
		return 0;
	fprintf(stderr, "kymo: cannot write standard output: %s\n",
		error ? strerror(error) : "write error");
	return 1;
}

int command_end_options(enum options_result result, const struct problem *problem)
{
	return result == OPTIONS_HELPED ? command_finish_output()
					: command_fail(KYMO_USAGE, problem);
}

int command_run(void *given, command_parse_fn parse, command_act_fn act, int argc, char **argv)
{
	struct problem problem;
	enum options_result parsed = parse(given, argc, argv, &problem);
	enum kymo_status status;

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	status = act(given, &problem);
	return status < 0 ? command_fail(status, &problem) : command_finish_output();
}

/* Failed writes are reported by the writer, as EPIPE and EFBIG. */
static const int ignored_signals[] = {SIGPIPE, SIGXFSZ};
static struct sigaction former_actions[sizeof(ignored_signals) / sizeof(*ignored_signals)];

static void ignore_signals(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < sizeof(ignored_signals) / sizeof(*ignored_signals); i++)
		sigaction(ignored_signals[i], &ignore, &former_actions[i]);
}

void command_restore_signals(void)
{
	filehole_restore();
	for (size_t i = 0; i < sizeof(ignored_signals) / sizeof(*ignored_signals); i++)
		sigaction(ignored_signals[i], &former_actions[i], NULL);
}

int command_warn_holes(int result)
{
	const char *path = filehole_path();

	if (filehole_count() == 0)
		return result;
	fflush(stdout);
	plaintext_print(stderr,
			"kymo: %s%s%s was truncated while it was read; missing data are read as "
			"zeros, and the result is incomplete\n",
			*path ? "'" : "", *path ? path : "a file", *path ? "'" : "");
	return result ? result : 1;
}

struct command_call { /* a command and its arguments */
	const struct command *command;
	int argc;
	char **argv;
	int result;
};

static void call_command(void *context)
{
	struct command_call *call = context;

	call->result = call->command->run(call->argc, call->argv);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct command_call call = {command, argc, argv, 0};
	struct problem problem;

	if (!xalloc_run(call_command, &call)) {
		problem_set(&problem, KYMO_MEMORY, "out of memory");
		call.result = command_fail(KYMO_MEMORY, &problem);
	}
	return command_warn_holes(call.result);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(command_table[i].name, name) == 0)
			return &command_table[i];
	}
	return NULL;
}

/* kymo-<name> in the folder of this executable, or NULL. */
static char *find_helper(const char *name)
{
	char *self = realpath("/proc/self/exe", NULL), *path = NULL;

	if (self && !strchr(name, '/') && asprintf(&path, "%s/kymo-%s", dirname(self), name) < 0)
		path = NULL;
	free(self);
	if (path && access(path, X_OK) < 0) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Does not return when it succeeds. */
static int run_helper(char *path, char **argv)
{
	argv[0] = path;
	execv(path, argv);
	plaintext_print(stderr, "kymo: cannot run '%s': %s\n", path, strerror(errno));
	free(path);
	return 1;
}

static int unknown_command(const char *name)
{
	struct suggestion search;

	suggest_begin(&search, name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		suggest_offer(&search, command_table[i].name);
	suggest_offer(&search, "python");
	if (search.best)
		plaintext_print(stderr, "kymo: unknown command '%s'; did you mean '%s'?\n", name,
				search.best);
	else
		plaintext_print(stderr, "kymo: unknown command '%s'; see 'kymo help'\n", name);
	return 2;
}

static void print_usage(FILE *out)
{
	fputs("usage: kymo COMMAND [options]\n\n"
	      "Profiles and traces programs, and shows the results.\n\n"
	      "commands:\n",
	      out);
	fprintf(out, "  %-12s%s\n", "python", "record a Python program");
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (command_table[i].summary)
			fprintf(out, "  %-12s%s\n", command_table[i].name,
				command_table[i].summary);
	}
	fputs("\n'kymo COMMAND --help' shows the options of a command.\n", out);
}

/* help COMMAND equals COMMAND --help. */
int cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	char *arguments[] = {argc > 1 ? argv[1] : NULL, help, NULL};
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	char *helper;

	if (command && command->run != cmd_help && command->run != cmd_version)
		return command->run(2, arguments);
	if (argc < 2 || command || argv[1][0] == '-') {
		print_usage(stdout);
		return command_finish_output();
	}
	helper = find_helper(argv[1]);
	return helper ? run_helper(helper, arguments) : unknown_command(argv[1]);
}

int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("kymo " KYMO_VERSION);
	return command_finish_output();
}

/* kymo-run, a link to this file, is kymo run. */
static const struct command *find_by_link(const char *path)
{
	const char *name = path_base_name(path);

	return strncmp(name, "kymo-", 5) == 0 ? find_command(name + 5) : NULL;
}

/* Errors in the settings are reported by the command that needs them. */
static void choose_modes(void)
{
	struct settings *settings = settings_new();
	struct problem unread;

	if (settings && settings_load(settings, environ, NULL, &unread) == KYMO_OK)
		filemode_choose(settings_text(settings, SET_OUTPUT_ACCESS));
	settings_free(settings);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 0 ? find_by_link(argv[0]) : NULL;
	char *helper;

	ignore_signals();
	filehole_guard();
	choose_modes();
	if (command)
		return run_command(command, argc, argv);
	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return cmd_help(1, argv);
	if (strcmp(argv[1], "--version") == 0)
		return cmd_version(1, argv);
	command = find_command(argv[1]);
	if (command)
		return run_command(command, argc - 1, argv + 1);
	helper = find_helper(argv[1]);
	command_restore_signals();
	return helper ? run_helper(helper, argv + 1) : unknown_command(argv[1]);
}
