/* Options of kymo attach; those that are settings, too, are taken as such. */
#include "cli/attach_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

struct given { /* as the command line has it */
	const char *pid, *rate, *duration, *depth, *output, *config;
	unsigned int format;
	bool has_gil, has_idle, has_no_idle, has_children, has_native, is_blocking, is_dump;
	bool is_quiet, is_verbose, is_steady, keeps_sources;
};

/* ---- numbers ----------------------------------------------------------------------------- */

enum kymo_status attach_take_pid(const char *text, pid_t *pid_out, struct problem *problem)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (*end || end == text || errno || number <= 0 || number > INT_MAX)
		return problem_set(problem, KYMO_USAGE, "'%s' is no process id", text);
	*pid_out = (pid_t)number;
	return KYMO_OK;
}

static bool take_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out);
}

enum kymo_status attach_take_rate(const char *text, double *rate_out, struct problem *problem)
{
	double rate;

	if (!take_number(text, &rate) || rate <= 0 || rate > ATTACH_RATE_MAX)
		return problem_set(problem, KYMO_USAGE,
				   "--rate takes samples a second, above 0 and at most %g, not "
				   "'%s'",
				   ATTACH_RATE_MAX, text);
	*rate_out = rate;
	return KYMO_OK;
}

enum kymo_status attach_take_seconds(const char *text, const char *option, double *seconds_out,
				     struct problem *problem)
{
	double seconds;

	if (!take_number(text, &seconds) || seconds < 0 || seconds > 1e9)
		return problem_set(problem, KYMO_USAGE, "%s takes seconds, not '%s'", option, text);
	*seconds_out = seconds;
	return KYMO_OK;
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool add_text(char **lines, size_t *count, const char *name, const char *value)
{
	if (!value)
		return true;
	if (asprintf(&lines[*count], "%s=%s", name, value) < 0)
		return false;
	(*count)++;
	return true;
}

static enum kymo_status load_settings(struct attach_request *request, const struct given *given,
				      struct problem *problem)
{
	char *lines[16] = {NULL};
	size_t count = 0;
	enum kymo_status status;
	bool is_whole =
		add_text(lines, &count, "SAMPLING", "ON") &&
		add_text(lines, &count, "SAMPLING_FREQ", given->rate) &&
		add_text(lines, &count, "SAMPLING_DURATION", given->duration) &&
		add_text(lines, &count, "SAMPLING_DEPTH", given->depth) &&
		add_text(lines, &count, "OUTPUT_PATH", given->output) &&
		add_text(lines, &count, "CONFIG_FILE", given->config) &&
		add_text(lines, &count, "QUIET", given->is_quiet ? "ON" : NULL) &&
		add_text(lines, &count, "VERBOSE", given->is_verbose ? "1" : NULL) &&
		add_text(lines, &count, "KEEP_SOURCES", given->keeps_sources ? "ON" : NULL) &&
		add_text(lines, &count, "SAMPLING_JITTER", given->is_steady ? "OFF" : NULL);

	request->settings = is_whole ? settings_new() : NULL;
	status = request->settings ? settings_load(request->settings, environ,
						   (const char *const *)lines, problem)
				   : problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	return status;
}

/* ---- checks -------------------------------------------------------------------------- */

static enum kymo_status check(const struct given *given, struct problem *problem)
{
	if (given->has_idle && given->has_no_idle)
		return problem_set(problem, KYMO_USAGE, "--idle and --no-idle exclude each other");
	if (given->is_dump && (given->rate || given->duration || given->has_children))
		return problem_set(problem, KYMO_USAGE,
				   "--dump looks once: it takes no --rate, --duration or "
				   "--children");
	if (given->format && !given->is_dump)
		return problem_set(problem, KYMO_USAGE, "--format is for --dump");
	return KYMO_OK;
}

static enum kymo_status take(struct attach_request *request, const struct given *given,
			     struct problem *problem)
{
	enum kymo_status status = attach_take_pid(given->pid, &request->pid, problem);
	double ignored;

	if (status == KYMO_OK && given->rate)
		status = attach_take_rate(given->rate, &ignored, problem);
	if (status == KYMO_OK && given->duration)
		status = attach_take_seconds(given->duration, "--duration", &ignored, problem);
	if (status == KYMO_OK)
		status = check(given, problem);
	if (status == KYMO_OK)
		status = load_settings(request, given, problem);
	if (status < 0)
		return status;
	request->rate = settings_number(request->settings, SET_SAMPLING_FREQ);
	request->duration_s = settings_number(request->settings, SET_SAMPLING_DURATION);
	request->has_children = given->has_children;
	request->is_dump = given->is_dump;
	request->is_json = given->format == 1;
	request->watch = (struct watch_options){
		.has_native = given->has_native,
		.is_blocking = given->is_blocking,
		.only_gil = given->has_gil,
		.only_active = given->has_no_idle,
		.is_patient = true,
		.depth = (uint32_t)settings_integer(request->settings, SET_SAMPLING_DEPTH),
	};
	return KYMO_OK;
}

static enum options_result parse(struct given *given, int *argc, char **argv,
				 struct problem *problem)
{
	const struct option_row rows[] = {
		{'p', "pid", OPTION_TEXT, &given->pid, "PID",
		 "The process, where it is no argument"},
		{'d', "duration", OPTION_TEXT, &given->duration, "SEC",
		 "Sample for this many seconds; else until it ends, or Ctrl-C"},
		{'r', "rate", OPTION_TEXT, &given->rate, "HZ", "Samples a second (100)"},
		{'f', "freq", OPTION_TEXT, &given->rate, "HZ", "As --rate"},
		{'o', "output", OPTION_TEXT, &given->output, "PATH", "Output folder"},
		{0, "keep-sources", OPTION_FLAG, &given->keeps_sources, NULL,
		 "Keep copies of the sources of what was sampled with the run"},
		{'n', "native", OPTION_FLAG, &given->has_native, NULL,
		 "Native frames, too, and threads without Python: running threads are stopped for "
		 "some microseconds each time"},
		{0, "blocking", OPTION_FLAG, &given->is_blocking, NULL,
		 "Stop all running threads for each sample, so that it is exact"},
		{'g', "gil", OPTION_FLAG, &given->has_gil, NULL, "Only threads that hold the GIL"},
		{'i', "idle", OPTION_FLAG, &given->has_idle, NULL,
		 "Waiting threads, too (this is so anyway)"},
		{0, "no-idle", OPTION_FLAG, &given->has_no_idle, NULL, "No waiting threads"},
		{'s', "children", OPTION_FLAG, &given->has_children, NULL,
		 "Also Python processes below it, now and later"},
		{0, "depth", OPTION_TEXT, &given->depth, "N",
		 "Frames of a stack that are kept, the innermost ones (512)"},
		{0, "steady", OPTION_FLAG, &given->is_steady, NULL,
		 "Sample at even distances; else they are random around the period"},
		{0, "dump", OPTION_FLAG, &given->is_dump, NULL,
		 "Print every thread's stack once, and end"},
		{0, "format", OPTION_CHOICE, &given->format, "text,json", "Form of --dump"},
		{'c', "config", OPTION_TEXT, &given->config, "FILE", "Configuration file"},
		{'v', "verbose", OPTION_FLAG, &given->is_verbose, NULL, "Say more"},
		{'q', "quiet", OPTION_FLAG, &given->is_quiet, NULL, "Say nothing but errors"},
	};
	const struct option_table table = {
		.command = "kymo attach",
		.usage = "[options] PID",
		.description = "Samples the call stacks of a Python program that runs already, "
			       "without stopping it, and writes a run as the other commands do. "
			       "The program is not changed in any way.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};

	return options_parse(&table, argc, argv, problem);
}

enum options_result attach_parse(struct attach_request *request, int *argc, char **argv,
				 struct problem *problem)
{
	struct given given = {0};
	enum options_result result = parse(&given, argc, argv, problem);

	*request = (struct attach_request){0};
	if (result != OPTIONS_PARSED)
		return result;
	if (*argc + (given.pid != NULL) != 1) {
		problem_set(problem, KYMO_USAGE, "%s; see 'kymo attach --help'",
			    *argc == 0 && !given.pid ? "name the process by its id"
						     : "one process at a time");
		return OPTIONS_FAILED;
	}
	if (!given.pid)
		given.pid = argv[0];
	return take(request, &given, problem) < 0 ? OPTIONS_FAILED : OPTIONS_PARSED;
}

void attach_release(struct attach_request *request)
{
	settings_free(request->settings);
	request->settings = NULL;
}

bool attach_is_quiet(const struct attach_request *request)
{
	return settings_bool(request->settings, SET_QUIET) ||
	       settings_integer(request->settings, SET_VERBOSE) < 0;
}
