/* Options of kymo attach; those that are settings, too, are parsed as such. */
#include "cli/attach/attach_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/textbuf.h"
#include "config/run/rundirectory.h"
#include "config/settings_load.h"
#include "platform/systemclock.h"

#define LISTS	 7u
#define ROWS_MAX 48u

struct given { /* options as given */
	const char *pid, *rate, *duration, *depth, *output, *config;
	unsigned int format;
	bool has_gil, has_idle, has_no_idle, has_children, has_native, is_blocking, is_dump,
		has_locals;
	bool is_quiet, is_verbose, is_steady, keeps_sources;
	bool has_functions, has_trace, has_loops, is_serialized;
	const char *cost, *min_instructions, *min_bytes, *filter_file;
	struct option_words lists[LISTS];
};

static const struct { /* options for functions and files, and their settings */
	char letter;
	const char *name, *setting, *argument, *help;
} lists[LISTS] = {
	{'I', "function-include", "FUNCTIONS_INCLUDE", "REGEX",
	 "With --functions: record these, whatever their size, linkage and visibility"},
	{'E', "function-exclude", "FUNCTIONS_EXCLUDE", "REGEX", "With --functions: exclude these"},
	{'R', "function-restrict", "FUNCTIONS_RESTRICT", "REGEX",
	 "With --functions: record only these"},
	{0, "caller-include", "FUNCTIONS_CALLER_INCLUDE", "REGEX",
	 "With --functions: as -I, for functions that call one of these"},
	{0, "module-include", "FUNCTIONS_MODULE_INCLUDE", "REGEX",
	 "With --functions: functions of these libraries, too"},
	{0, "module-exclude", "FUNCTIONS_MODULE_EXCLUDE", "REGEX",
	 "With --functions: no functions of these files; given alone, those of all others"},
	{0, "module-restrict", "FUNCTIONS_MODULE_RESTRICT", "REGEX",
	 "With --functions: only functions of these files"},
};

enum kymo_status attach_take_pid(const char *text, pid_t *pid_out, struct problem *problem)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (*end || end == text || errno || number <= 0 || number > INT_MAX)
		return problem_set(problem, KYMO_USAGE, "'%s' is not a process id", text);
	*pid_out = (pid_t)number;
	return KYMO_OK;
}

static bool options_take_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out);
}

enum kymo_status attach_take_rate(const char *text, double *rate_out, struct problem *problem)
{
	double rate;

	if (!options_take_number(text, &rate) || rate <= 0 || rate > ATTACH_RATE_MAX)
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

	if (!options_take_number(text, &seconds) || seconds < 0 || seconds > 1e9)
		return problem_set(problem, KYMO_USAGE, "%s takes seconds, not '%s'", option, text);
	*seconds_out = seconds;
	return KYMO_OK;
}

static bool options_add_text(char **lines, size_t *count, const char *name, const char *value)
{
	if (!value)
		return true;
	if (asprintf(&lines[*count], "%s=%s", name, value) < 0)
		return false;
	(*count)++;
	return true;
}

/* Each item in quotes: regular expressions contain blanks and commas. */
static bool options_add_list(char **lines, size_t *count, const char *name,
			     const struct option_words *items)
{
	struct textbuf text = {0};

	if (items->count == 0)
		return true;
	textbuf_format(&text, "%s=", name);
	for (size_t i = 0; i < items->count; i++) {
		const char *quote = strchr(items->items[i], '"') ? "'" : "\"";

		textbuf_format(&text, "%s%s%s%s", i ? " " : "", quote, items->items[i], quote);
	}
	lines[*count] = textbuf_take(&text);
	return lines[*count] && ++*count;
}

static bool options_add_functions(char **lines, size_t *count, const struct given *given)
{
	bool is_whole =
		options_add_text(lines, count, "FUNCTIONS", "ON") &&
		options_add_text(lines, count, "PROFILE", "ON") &&
		options_add_text(lines, count, "TRACE", given->has_trace ? "ON" : NULL) &&
		options_add_text(lines, count, "FUNCTIONS_TIMING", given->cost) &&
		options_add_text(lines, count, "FUNCTIONS_SERIALIZE",
				 given->is_serialized ? "ON" : NULL) &&
		options_add_text(lines, count, "FUNCTIONS_LOOPS", given->has_loops ? "ON" : NULL) &&
		options_add_text(lines, count, "FUNCTIONS_MIN_INSTRUCTIONS",
				 given->min_instructions) &&
		options_add_text(lines, count, "FUNCTIONS_MIN_BYTES", given->min_bytes) &&
		options_add_text(lines, count, "FUNCTIONS_FILTER_FILE", given->filter_file);

	for (size_t i = 0; i < LISTS; i++)
		is_whole = is_whole &&
			   options_add_list(lines, count, lists[i].setting, &given->lists[i]);
	return is_whole;
}

static enum kymo_status options_load_settings(struct attach_request *request,
					      const struct given *given, struct problem *problem)
{
	char *lines[32] = {NULL};
	size_t count = 0;
	enum kymo_status status;
	bool is_whole =
		options_add_text(lines, &count, "SAMPLING", given->has_functions ? "OFF" : "ON") &&
		options_add_text(lines, &count, "SAMPLING_FREQ", given->rate) &&
		options_add_text(lines, &count, "SAMPLING_DURATION", given->duration) &&
		options_add_text(lines, &count, "SAMPLING_DEPTH", given->depth) &&
		options_add_text(lines, &count, "OUTPUT_PATH", given->output) &&
		options_add_text(lines, &count, "CONFIG_FILE", given->config) &&
		options_add_text(lines, &count, "QUIET", given->is_quiet ? "ON" : NULL) &&
		options_add_text(lines, &count, "VERBOSE", given->is_verbose ? "1" : NULL) &&
		options_add_text(lines, &count, "KEEP_SOURCES",
				 given->keeps_sources ? "ON" : NULL) &&
		options_add_text(lines, &count, "SAMPLING_JITTER",
				 given->is_steady ? "OFF" : NULL) &&
		(!given->has_functions || options_add_functions(lines, &count, given));

	request->settings = is_whole ? settings_new() : NULL;
	status = request->settings ? settings_load(request->settings, environ,
						   (const char *const *)lines, problem)
				   : problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	return status;
}

/* Options for samples exclude those for functions. */
static enum kymo_status check_functions(const struct given *given, struct problem *problem)
{
	bool has_choice = given->cost || given->has_trace || given->has_loops ||
			  given->is_serialized || given->min_instructions || given->min_bytes ||
			  given->filter_file;

	for (size_t i = 0; i < LISTS; i++)
		has_choice |= given->lists[i].count > 0;
	if (has_choice && !given->has_functions)
		return problem_set(problem, KYMO_USAGE,
				   "--timing, --trace and the selection of functions are for "
				   "--functions");
	if (given->has_functions &&
	    (given->rate || given->depth || given->has_gil || given->has_idle ||
	     given->has_no_idle || given->has_children || given->has_native || given->is_blocking ||
	     given->is_dump || given->is_steady || given->keeps_sources))
		return problem_set(
			problem, KYMO_USAGE,
			"--functions takes no samples: of the options for those only "
			"--duration, --output, --config, --quiet and --verbose go with it");
	return KYMO_OK;
}

static enum kymo_status options_check(const struct given *given, struct problem *problem)
{
	if (given->has_idle && given->has_no_idle)
		return problem_set(problem, KYMO_USAGE, "--idle and --no-idle exclude each other");
	if (given->is_dump && (given->rate || given->duration))
		return problem_set(
			problem, KYMO_USAGE,
			"--dump reads the stacks once: --rate and --duration do not go with it");
	if (given->has_locals && !given->is_dump)
		return problem_set(problem, KYMO_USAGE, "--locals is for --dump");
	if (given->format && !given->is_dump)
		return problem_set(problem, KYMO_USAGE, "--format is for --dump");
	return check_functions(given, problem);
}

static enum kymo_status options_take(struct attach_request *request, const struct given *given,
				     struct problem *problem)
{
	enum kymo_status status = attach_take_pid(given->pid, &request->pid, problem);
	double ignored;

	if (status == KYMO_OK && given->rate)
		status = attach_take_rate(given->rate, &ignored, problem);
	if (status == KYMO_OK && given->duration)
		status = attach_take_seconds(given->duration, "--duration", &ignored, problem);
	if (status == KYMO_OK)
		status = options_check(given, problem);
	if (status == KYMO_OK)
		status = options_load_settings(request, given, problem);
	if (status < 0)
		return status;
	request->rate = settings_number(request->settings, SET_SAMPLING_FREQ);
	request->duration_s = settings_number(request->settings, SET_SAMPLING_DURATION);
	request->has_children = given->has_children;
	request->has_functions = given->has_functions;
	request->is_dump = given->is_dump;
	request->has_locals = given->has_locals;
	request->is_json = given->format == 1;
	request->watch = (struct watch_options){
		.has_native = given->has_native,
		.or_native = !given->has_children && !given->has_gil,
		.is_blocking = given->is_blocking,
		.only_gil = given->has_gil,
		.only_active = given->has_no_idle,
		.is_patient = true,
		.depth = (uint32_t)settings_integer(request->settings, SET_SAMPLING_DEPTH),
	};
	return KYMO_OK;
}

static enum options_result attach_options_parse(struct given *given, int *argc, char **argv,
						struct problem *problem)
{
	struct option_row rows[ROWS_MAX] = {
		{'p', "pid", OPTION_TEXT, &given->pid, "PID",
		 "The process, if not given as an argument"},
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
		 "Waiting threads, too (the default)"},
		{0, "no-idle", OPTION_FLAG, &given->has_no_idle, NULL, "No waiting threads"},
		{'s', "children", OPTION_FLAG, &given->has_children, NULL,
		 "Include its Python child processes, present and future"},
		{0, "depth", OPTION_TEXT, &given->depth, "N",
		 "Frames of a stack that are kept, the innermost ones (512)"},
		{0, "steady", OPTION_FLAG, &given->is_steady, NULL,
		 "Sample at fixed intervals (default: random around the period)"},
		{0, "dump", OPTION_FLAG, &given->is_dump, NULL,
		 "Print every thread's stack once, and end"},
		{0, "locals", OPTION_FLAG, &given->has_locals, NULL,
		 "With --dump: the local variables of each frame; what looks secret is masked"},
		{0, "format", OPTION_CHOICE, &given->format, "text,json", "Format of --dump"},
		{'c', "config", OPTION_TEXT, &given->config, "FILE", "Configuration file"},
		{'v', "verbose", OPTION_FLAG, &given->is_verbose, NULL, "Print more"},
		{'q', "quiet", OPTION_FLAG, &given->is_quiet, NULL, "Print errors only"},
		{'F', "functions", OPTION_FLAG, &given->has_functions, NULL,
		 "Instrument the program's native functions meanwhile, instead of taking samples"},
		{0, "timing", OPTION_TEXT, &given->cost, "KIND",
		 "With --functions: how calls are timed: sampled (default), coarse or full"},
		{0, "cost", OPTION_TEXT, &given->cost, "KIND", "An older name of --timing"},
		{0, "serialize", OPTION_FLAG, &given->is_serialized, NULL,
		 "With --functions and coarse or full: read the clock between serializing "
		 "instructions"},
		{'T', "trace", OPTION_FLAG, &given->has_trace, NULL,
		 "With --functions: trace each call with its times"},
		{'l', "instrument-loops", OPTION_FLAG, &given->has_loops, NULL,
		 "With --functions: record their outermost loops, too"},
		{0, "min-instructions", OPTION_TEXT, &given->min_instructions, "N",
		 "With --functions: exclude functions of fewer instructions"},
		{0, "min-address-range", OPTION_TEXT, &given->min_bytes, "N",
		 "With --functions: exclude functions of fewer bytes"},
		{0, "filter-file", OPTION_TEXT, &given->filter_file, "FILE",
		 "With --functions: rules that include and exclude functions"},
	};
	size_t count = 0;

	while (rows[count].name)
		count++;
	for (size_t i = 0; i < LISTS; i++)
		rows[count++] =
			(struct option_row){lists[i].letter,  lists[i].name,	 OPTION_TEXTS,
					    &given->lists[i], lists[i].argument, lists[i].help};
	const struct option_table table = {
		.command = "kymo attach",
		.usage = "[options] PID",
		.description = "Samples the call stacks of a running Python program, without "
			       "stopping it, and writes a run like the other commands. The "
			       "program is not changed, except with --functions, which undoes its "
			       "changes at the end.",
		.rows = rows,
		.row_count = count,
	};

	return options_parse(&table, argc, argv, problem);
}

enum options_result attach_parse(struct attach_request *request, int *argc, char **argv,
				 struct problem *problem)
{
	struct given given = {0};
	enum options_result result = attach_options_parse(&given, argc, argv, problem);

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
	return options_take(request, &given, problem) < 0 ? OPTIONS_FAILED : OPTIONS_PARSED;
}

bool attach_has_options(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	struct given given = {0};
	struct problem problem;
	bool has = false;

	if (!words)
		return false;
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	has = attach_options_parse(&given, &argc, words, &problem) == OPTIONS_PARSED && argc == 0;
	free(words);
	return has;
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

enum kymo_status attach_make_directory(const struct attach_request *request,
				       const struct target *target, char *directory, size_t size,
				       struct problem *problem)
{
	const char *const argv[] = {target->name, NULL};
	const struct output_context names = {
		.argv = argv,
		.pid = target->pid,
		.parent_pid = target->parent,
		.launch_time = systemclock_seconds(),
		.settings = request->settings,
		.environment = environ,
	};

	return rundirectory_make(&names, directory, size, problem);
}
