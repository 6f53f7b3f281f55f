/* kymo report: the profile of a run as tables. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cli/commands.h"
#include "cli/find_run.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/report.h"

#define DEFAULT_TOP 25

struct report_command {
	struct report_options options;
	unsigned int form, order; /* as parsed */
	unsigned int weight;	  /* likewise */
	bool is_flat, is_tree, is_processes, is_threads, is_series, is_lines, is_waits, is_gil;
	bool has_samples;			/* they are asked for */
	const char *callers, *callees, *metric; /* NULL = not asked for */
	uint64_t top, thread, process;
	const char *output;
	const char *run; /* NULL = the newest */
};

#define NOT_GIVEN UINT64_MAX

static enum options_result parse(struct report_command *command, int argc, char **argv,
				 struct problem *problem)
{
	const struct option_row rows[] = {
		{0, "flat", OPTION_FLAG, &command->is_flat, NULL,
		 "One row a region, all of them (default: the first 25)"},
		{0, "tree", OPTION_FLAG, &command->is_tree, NULL,
		 "The call paths as a tree, the largest first"},
		{0, "callers", OPTION_TEXT, &command->callers, "NAME",
		 "Who calls the region of that name"},
		{0, "callees", OPTION_TEXT, &command->callees, "NAME",
		 "Whom the region of that name calls"},
		{0, "lines", OPTION_FLAG, &command->is_lines, NULL,
		 "The lines of sources that the samples met"},
		{0, "waits", OPTION_FLAG, &command->is_waits, NULL,
		 "What threads wait for, and where"},
		{0, "gil", OPTION_FLAG, &command->is_gil, NULL,
		 "Who held Python's GIL, who waited for it, and which lines held it"},
		{0, "metric", OPTION_TEXT, &command->metric, "NAME",
		 "The table of a metric as in the output files: wall_clock, trip_count, ..."},
		{0, "processes", OPTION_FLAG, &command->is_processes, NULL,
		 "The processes of the run"},
		{0, "threads", OPTION_FLAG, &command->is_threads, NULL, "The threads of the run"},
		{0, "series", OPTION_FLAG, &command->is_series, NULL,
		 "Numbers over time: what the machine, the process and its counters came to"},
		{0, "samples", OPTION_FLAG, &command->has_samples, NULL,
		 "From the samples, also where calls were recorded"},
		{0, "by", OPTION_CHOICE, &command->weight, SAMPLED_BY_WORDS,
		 "What samples are weighed with (default: wall)"},
		{'i', "inlines", OPTION_FLAG, &command->options.sampled.has_inlines, NULL,
		 "Functions that were inlined are regions of their own, in samples"},
		{0, "internal", OPTION_FLAG, &command->options.sampled.keeps_internal, NULL,
		 "Keep the frames of the Python interpreter and of Kymo, in samples"},
		{0, "debuginfod", OPTION_FLAG, &command->options.sampled.uses_debuginfod, NULL,
		 "Ask the servers of $DEBUGINFOD_URLS for missing debug information"},
		{'s', "sort", OPTION_CHOICE, &command->order, VIEW_ORDERS,
		 "Order of the rows (default: self; trees: total)"},
		{'n', "top", OPTION_COUNT, &command->top, "N", "Show N rows, 0 = all"},
		{'f', "filter", OPTION_TEXT, &command->options.filter, "REGEX",
		 "Only regions whose name matches"},
		{'t', "thread", OPTION_COUNT, &command->thread, "N",
		 "Only the thread with this number"},
		{'p', "process", OPTION_COUNT, &command->process, "PID", "Only this process"},
		{0, "format", OPTION_CHOICE, &command->form, REPORT_FORMS,
		 "How to write it (default: text)"},
		{'o', "output", OPTION_TEXT, &command->output, "FILE",
		 "Write to FILE in place of standard output"},
	};
	const struct option_table table = {
		.command = "kymo report",
		.usage = "[options] [RUN]",
		.description = "Shows the profile of a run. RUN is the directory of a run or one "
			       "recording; by default the newest run below the working directory.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	if (result == OPTIONS_PARSED && argc > 1) {
		problem_set(problem, KYMO_USAGE, "one run at a time: '%s' and '%s' were given",
			    argv[0], argv[1]);
		return OPTIONS_FAILED;
	}
	command->run = argc == 1 && result == OPTIONS_PARSED ? argv[0] : NULL;
	return result;
}

/* Defaults that depend on the view, and what excludes each other. */
static enum kymo_status settle(struct report_command *command, struct problem *problem)
{
	int views = command->is_flat + command->is_tree + command->is_processes +
		    command->is_threads + command->is_series + command->is_lines +
		    command->is_waits + command->is_gil + (command->callers != NULL) +
		    (command->callees != NULL) + (command->metric != NULL);

	if (views > 1)
		return problem_set(problem, KYMO_USAGE,
				   "choose one of --flat, --tree, --callers, --callees, --metric, "
				   "--lines, --waits, --gil, --processes, --threads and --series");
	if (views == 1 && !command->is_flat && !command->is_tree &&
	    ((command->options.filter && !command->is_lines && !command->is_series) ||
	     command->order != UINT32_MAX))
		return problem_set(problem, KYMO_USAGE,
				   "--filter and --sort go with the flat report and --tree only, "
				   "--filter with --lines and --series, too");
	if (command->thread != NOT_GIVEN && command->thread >= KYMO_NO_THREAD)
		return problem_set(problem, KYMO_USAGE, "no thread has so large a number");
	if (command->process > UINT32_MAX)
		return problem_set(problem, KYMO_USAGE, "no process has so large an id");
	command->options.sampled.weight =
		command->weight == UINT32_MAX ? SAMPLED_BY_WALL : (enum sampled_by)command->weight;
	command->options.form = (enum report_form)command->form;
	command->options.order = command->order != UINT32_MAX ? (enum view_order)command->order
				 : command->is_tree	      ? ORDER_TOTAL
							      : ORDER_SELF;
	command->options.thread =
		command->thread == NOT_GIVEN ? KYMO_NO_THREAD : (uint32_t)command->thread;
	command->options.top = command->top;
	if (command->top == NOT_GIVEN)
		command->options.top =
			command->is_flat || command->options.form != REPORT_TEXT ? 0 : DEFAULT_TOP;
	return KYMO_OK;
}

static enum kymo_status check_thread(const struct loaded_run *loaded, uint32_t thread,
				     struct problem *problem)
{
	if (thread == KYMO_NO_THREAD)
		return KYMO_OK;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const struct recording *recording = loaded->trees[i]->recording;

		if (thread < recording->thread_count && recording->threads[thread].is_present)
			return KYMO_OK;
	}
	return problem_set(problem, KYMO_USAGE,
			   "no thread %u in this run; 'kymo report --threads' lists them", thread);
}

static enum kymo_status write_view(const struct report_command *command,
				   const struct report *report, const struct settings *settings,
				   struct problem *problem)
{
	if (command->metric)
		return report_metric(report, command->metric, settings, problem);
	if (command->callers)
		return report_callers(report, command->callers, problem);
	if (command->callees)
		return report_callees(report, command->callees, problem);
	if (command->is_lines)
		return report_lines(report, problem);
	if (command->is_waits)
		return report_waits(report, problem);
	if (command->is_gil)
		return report_gil(report, problem);
	if (command->is_processes)
		return report_processes(report, problem);
	if (command->is_threads)
		return report_threads(report, problem);
	if (command->is_series)
		return report_series(report, problem);
	if (command->is_tree)
		return report_tree(report, problem);
	return report_flat(report, problem);
}

static enum kymo_status write_report(const struct report_command *command, struct report *report,
				     const struct settings *settings, struct problem *problem)
{
	const char *path = command->output ? command->output : "-";
	struct outfile file;
	enum kymo_status status = outfile_open(&file, path, problem);

	if (status < 0)
		return status;
	report->out = outfile_stream(&file);
	if (!report->out) {
		outfile_discard(&file);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	report->options.width = terminal_width(report->out);
	report->options.has_colour = terminal_has_colour(report->out, settings);
	status = write_view(command, report, settings, problem);
	if (status < 0) {
		outfile_discard(&file);
		return status;
	}
	/* Standard output is finished by the caller, for whom a closed pipe is no failure. */
	return file.path ? outfile_commit(&file, problem) : KYMO_OK;
}

static enum kymo_status report_loaded(const struct report_command *command,
				      const struct loaded_run *loaded,
				      const struct settings *settings, struct problem *problem)
{
	struct report report = {.loaded = loaded, .options = command->options};
	struct region_union *regions = NULL;
	struct run_facts *facts = NULL;
	enum kymo_status status = check_thread(loaded, command->options.thread, problem);

	if (status < 0)
		return status;
	status = run_facts_new(loaded, &facts);
	if (status == KYMO_OK)
		status = region_union_new(loaded->trees, loaded->tree_count, &regions);
	report.facts = facts;
	report.regions = regions;
	if (status == KYMO_OK)
		status = write_report(command, &report, settings, problem);
	else
		problem_set(problem, status, "out of memory");
	region_union_free(regions);
	run_facts_free(facts);
	return status;
}

static enum kymo_status load_and_report(const struct report_command *command,
					const struct settings *settings, struct problem *problem)
{
	const struct loaded_options options = {
		.pid = (uint32_t)command->process,
		.wants_samples =
			command->has_samples || command->is_lines || command->weight != UINT32_MAX,
		.sampled = command->options.sampled,
	};
	struct loaded_run *loaded;
	char *found = NULL;
	enum kymo_status status = KYMO_OK;

	if (!command->run)
		status = find_run(&found, problem);
	if (status == KYMO_OK)
		status = loaded_run_open(command->run ? command->run : found, &options, &loaded,
					 problem);
	free(found);
	if (status < 0)
		return status;
	status = report_loaded(command, loaded, settings, problem);
	loaded_run_free(loaded);
	return status;
}

static enum kymo_status load_settings(struct settings *settings, struct problem *problem)
{
	enum kymo_status status = settings_load(settings, environ, NULL, problem);

	for (size_t i = 0; status == KYMO_OK && i < settings_warning_count(settings); i++)
		fprintf(stderr, "kymo: %s\n", settings_warning(settings, i));
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_command command = {
		.order = UINT32_MAX,
		.weight = UINT32_MAX,
		.top = NOT_GIVEN,
		.thread = NOT_GIVEN,
	};
	struct problem problem;
	struct settings *settings;
	enum kymo_status status;

	switch (parse(&command, argc, argv, &problem)) {
	case OPTIONS_HELPED:
		return command_finish_output();
	case OPTIONS_FAILED:
		return command_fail(KYMO_USAGE, &problem);
	case OPTIONS_PARSED:
		break;
	}
	status = settle(&command, &problem);
	if (status < 0)
		return command_fail(status, &problem);
	settings = settings_new();
	if (!settings)
		status = problem_set(&problem, KYMO_MEMORY, "out of memory");
	else
		status = load_settings(settings, &problem);
	if (status == KYMO_OK)
		status = load_and_report(&command, settings, &problem);
	settings_free(settings);
	return status < 0 ? command_fail(status, &problem) : command_finish_output();
}
