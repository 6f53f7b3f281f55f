/* kymo export: a run in another tool's format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owner.h"
#include "base/text/plaintext.h"
#include "base/text/suggest.h"
#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "cli/results/find_run.h"
#include "command/xalloc.h"
#include "export/export.h"
#include "model/functions/estimates_text.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"

struct export_command {
	const char *format, *output, *filter, *node_threshold, *edge_threshold;
	uint64_t process, thread;
	bool has_no_annotations;
	bool is_raw, prefers_samples, has_lines, has_inlines, uses_debuginfod;
	const char *run; /* NULL = the newest */
};

#define NOT_GIVEN UINT64_MAX

/* The formats with the use of each, for the description in the help. */
static void export_describe(char *text, size_t size)
{
	size_t length = (size_t)snprintf(text, size,
					 "Writes a run in another tool's format. RUN is the "
					 "directory of a run or one recording; by default the "
					 "newest run below the working directory. Formats:");

	for (size_t i = 0; i < exporter_count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s %s (%s)", i ? ";" : "",
					   exporter_table[i]->name, exporter_table[i]->description);
}

static enum options_result export_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct export_command *command = given;
	const struct option_row rows[] = {
		{0, "format", OPTION_TEXT, &command->format, "NAME", "Format to write"},
		{'o', "output", OPTION_TEXT, &command->output, "FILE",
		 "Write to FILE (default: the program's name with the format's extension; "
		 "- is standard output)"},
		ROW_FILTER(&command->filter),
		ROW_THREAD(&command->thread),
		ROW_PROCESS(&command->process),
		{0, "no-annotations", OPTION_FLAG, &command->has_no_annotations, NULL,
		 "Omit file, line and arguments from traces, to reduce their size"},
		ROW_RAW_TIMES(&command->is_raw),
		{0, "samples", OPTION_FLAG, &command->prefers_samples, NULL,
		 "Use the samples, even if calls were recorded"},
		{0, "lines", OPTION_FLAG, &command->has_lines, NULL,
		 "Each line of a sampled function is a separate frame"},
		{0, "inlines", OPTION_FLAG, &command->has_inlines, NULL,
		 "Show inlined native functions as frames, in samples"},
		{'n', "node-threshold", OPTION_TEXT, &command->node_threshold, "PERCENT",
		 "dot: omit functions with a smaller share of the time (default: 0.5)"},
		{'e', "edge-threshold", OPTION_TEXT, &command->edge_threshold, "PERCENT",
		 "dot: omit calls with a smaller share of the time (default: 0.1)"},
		{0, "debuginfod", OPTION_FLAG, &command->uses_debuginfod, NULL,
		 "Ask the servers of $DEBUGINFOD_URLS for debug information"},
		ROW_FORCE,
	};
	char description[2048];
	const struct option_table table = {
		.command = "kymo export",
		.usage = "--format NAME [options] [RUN]",
		.description = description,
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result;

	export_describe(description, sizeof(description));
	result = options_parse(&table, &argc, argv, problem);
	return result == OPTIONS_PARSED ? find_run_take(argc, argv, &command->run, problem)
					: result;
}

static enum kymo_status find_exporter(const char *name, const struct exporter **out,
				      struct problem *problem)
{
	char known[256] = "";
	struct suggestion search;

	for (size_t i = 0; i < exporter_count; i++) {
		size_t length = strlen(known);

		snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "",
			 exporter_table[i]->name);
	}
	if (!name)
		return problem_set(problem, KYMO_USAGE, "name a format: --format takes one of %s",
				   known);
	*out = exporter_find(name);
	if (*out)
		return KYMO_OK;
	suggest_begin(&search, name);
	for (size_t i = 0; i < exporter_count; i++)
		suggest_offer(&search, exporter_table[i]->name);
	if (search.best)
		return problem_set(problem, KYMO_USAGE, "unknown format '%s'; did you mean '%s'?",
				   name, search.best);
	return problem_set(problem, KYMO_USAGE, "unknown format '%s'; there are %s", name, known);
}

static enum kymo_status read_threshold(const char *text, double *percent, struct problem *problem)
{
	char *end;
	double value;

	if (!text)
		return KYMO_OK;
	value = strtod(text, &end);
	if (end == text || *end || !(value >= 0 && value <= 100))
		return problem_set(problem, KYMO_USAGE, "'%s' is not a percentage from 0 to 100",
				   text);
	*percent = value;
	return KYMO_OK;
}

/* "example.perfetto" for example.py, in the working directory. */
static char *export_default_path(const struct exporter *exporter, const struct run *run)
{
	const char *program = recording_program(run->recordings[0]);
	size_t length = strlen(program);

	if (length > 3 && strcmp(program + length - 3, ".py") == 0)
		length -= 3;
	return xasprintf("%.*s.%s", (int)length, program, exporter->extension);
}

static enum kymo_status read_options(const struct export_command *command,
				     struct export_options *options, struct problem *problem)
{
	enum kymo_status status;

	options->process = (uint32_t)command->process;
	options->thread = command->thread == NOT_GIVEN ? KYMO_NO_THREAD : (uint32_t)command->thread;
	options->filter = command->filter;
	options->has_annotations = !command->has_no_annotations;
	options->prefers_samples = command->prefers_samples;
	options->has_lines = command->has_lines;
	options->has_inlines = command->has_inlines;
	options->uses_debuginfod = command->uses_debuginfod;
	status = read_threshold(command->node_threshold, &options->node_threshold, problem);
	if (status < 0)
		return status;
	return read_threshold(command->edge_threshold, &options->edge_threshold, problem);
}

static enum kymo_status export_opened(const struct export_command *command,
				      const struct exporter *exporter, const struct run *run,
				      struct problem *problem)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	char *path = NULL;
	enum kymo_status status = read_options(command, &options, problem);

	if (status < 0)
		return status;
	if (!command->output)
		path = export_default_path(exporter, run);
	status = export_run(exporter, run, &options, path ? path : command->output, NULL, problem);
	if (status == KYMO_OK && path)
		plaintext_print(stderr, "kymo: wrote '%s'\n", path);
	return status;
}

/* Not every format can contain it. */
static void export_print_estimates(const struct run *run)
{
	for (size_t i = 0; i < run->recording_count; i++) {
		const char *text = estimates_text(run->recordings[i]);

		if (!text)
			continue;
		plaintext_print(stderr, "kymo: %s\n", text);
		return;
	}
}

static enum kymo_status open_and_export(const struct export_command *command,
					struct problem *problem)
{
	const struct exporter *exporter = NULL;
	struct run *run;
	char *found = NULL;
	enum kymo_status status = find_exporter(command->format, &exporter, problem);

	if (status == KYMO_OK)
		status = find_run_or_newest(command->run, &found, problem);
	if (status == KYMO_OK)
		status = run_open(found, &run, problem);
	if (status < 0)
		return status;
	for (size_t i = 0; command->is_raw && i < run->recording_count; i++)
		run->recordings[i]->is_raw = true;
	status = export_opened(command, exporter, run, problem);
	if (status == KYMO_OK)
		export_print_estimates(run);
	run_free(run);
	return status;
}

static enum kymo_status export_act(void *given, struct problem *problem)
{
	struct export_command *command = given;

	if (command->process > UINT32_MAX ||
	    (command->thread != NOT_GIVEN && command->thread >= KYMO_NO_THREAD))
		return problem_set(problem, KYMO_USAGE,
				   "no process or thread has so large a number");
	return open_and_export(command, problem);
}

int cmd_export(int argc, char **argv)
{
	struct export_command command = {.thread = NOT_GIVEN};

	return command_run(&command, export_parse, export_act, argc, argv);
}
