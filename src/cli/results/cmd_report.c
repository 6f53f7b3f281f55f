/* kymo report: the profile of a run as tables. */
#include <string.h>

#include "base/owner.h"
#include "cli/commands.h"
#include "cli/options/command_settings.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "cli/results/find_run.h"
#include "cli/results/report_views.h"
#include "cli/terminal.h"
#include "command/xalloc.h"
#include "command/xoutfile.h"
#include "report/report.h"

#define DEFAULT_ABOVE 50 /* percent of its caller's time: at most one callee is above it */
#define BINS_MAX      1000

struct report_command {
	struct report_options options;
	struct view_choice choice;
	unsigned int form, order; /* as parsed */
	unsigned int weight;	  /* likewise */
	unsigned int group;	  /* likewise */
	bool is_raw;
	bool has_samples; /* samples were requested */
	uint64_t top, thread, process, above;
	uint64_t width; /* WIDTH_NOT_GIVEN = depends on the output */
	const char *output;
	const char *run; /* NULL = the newest */
};

#define NOT_GIVEN UINT64_MAX

/* After those of the views. */
static void add_options(struct report_command *command, struct option_row *rows, size_t *count)
{
	const struct option_row own[] = {
		{0, "region", OPTION_TEXT, &command->options.region, "NAME",
		 "With --ranks: the time in the regions of that name"},
		{0, "group", OPTION_CHOICE, &command->group, PARTS_BY_WORDS,
		 "What is compared (default: ranks, or processes, or threads)"},
		{0, "bins", OPTION_COUNT, &command->options.bins, "N",
		 "With --histogram: the number of ranges (default: by the count)"},
		{0, "above", OPTION_COUNT, &command->above, "PERCENT",
		 "With --hot-path: continue while a callee has this share (default: 50)"},
		{0, "filter-file", OPTION_TEXT, &command->options.filter_file, "FILE",
		 "With --score: write rules that exclude the marked functions, for 'kymo "
		 "instrument'"},
		ROW_RAW_TIMES(&command->is_raw),
		ROW_SAMPLES(&command->has_samples),
		ROWS_SAMPLED(&command->weight, &command->options.sampled),
		{'s', "sort", OPTION_CHOICE, &command->order, VIEW_ORDERS,
		 "Order of the rows (default: self; trees: total)"},
		ROW_TOP(&command->top),
		ROW_FILTER(&command->options.filter),
		ROW_THREAD(&command->thread),
		ROW_PROCESS(&command->process),
		ROW_TABLE_FORM(&command->form),
		ROW_TABLE_OUTPUT(&command->output),
		ROW_TABLE_WIDTH(&command->width),
		ROW_FORCE,
	};

	memcpy(rows + *count, own, sizeof(own));
	*count += sizeof(own) / sizeof(*own);
}
#define OWN_OPTIONS_MAX 24

static enum options_result report_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct report_command *command = given;
	struct option_row rows[REPORT_VIEWS_MAX + OWN_OPTIONS_MAX];
	struct option_table table = {
		.command = "kymo report",
		.usage = "[options] [RUN]",
		.description = "Shows the profile of a run. RUN is the directory of a run or one "
			       "recording; by default the newest run below the working directory.",
		.rows = rows,
	};
	enum options_result result;

	view_options(&command->choice, rows, &table.row_count);
	add_options(command, rows, &table.row_count);
	result = options_parse(&table, &argc, argv, problem);
	return result == OPTIONS_PARSED ? find_run_take(argc, argv, &command->run, problem)
					: result;
}

static enum kymo_status check_numbers(const struct report_command *command, struct problem *problem)
{
	if (command->thread != NOT_GIVEN && command->thread >= KYMO_NO_THREAD)
		return problem_set(problem, KYMO_USAGE, "no thread has so large a number");
	if (command->process > UINT32_MAX)
		return problem_set(problem, KYMO_USAGE, "no process has so large an id");
	if (command->above != NOT_GIVEN && (command->above < 1 || command->above > 100))
		return problem_set(problem, KYMO_USAGE, "--above is a percentage from 1 to 100");
	if (command->options.bins > BINS_MAX)
		return problem_set(problem, KYMO_USAGE, "--bins is at most %d", BINS_MAX);
	if (command->options.region && command->options.filter)
		return problem_set(problem, KYMO_USAGE,
				   "--region is one name, --filter is many: give one of them");
	return KYMO_OK;
}

static unsigned int given_options(const struct report_command *command)
{
	unsigned int given = 0;

	given |= command->options.filter ? VIEW_FILTER : 0;
	given |= command->order != UINT32_MAX ? VIEW_SORT : 0;
	given |= command->thread != NOT_GIVEN ? VIEW_THREAD : 0;
	given |= command->options.region ? VIEW_REGION : 0;
	given |= command->group != UINT32_MAX ? VIEW_GROUP : 0;
	given |= command->options.bins ? VIEW_BINS : 0;
	given |= command->above != NOT_GIVEN ? VIEW_ABOVE : 0;
	given |= command->options.filter_file ? VIEW_RULES : 0;
	return given;
}

/* Determines the view and its defaults, and checks options that exclude each other. */
static enum kymo_status report_resolve_options(struct report_command *command,
					       struct problem *problem)
{
	struct report_options *options = &command->options;
	enum kymo_status status;

	command->choice.given = given_options(command);
	status = view_resolve(&command->choice, problem);
	if (status == KYMO_OK)
		status = check_numbers(command, problem);
	if (status < 0)
		return status;
	options->sampled.weight = command->weight == UINT32_MAX
					  ? command->choice.view->takes & VIEW_OF_ALL_TIME
						    ? SAMPLED_BY_WALL
						    : SAMPLED_BY_CHOICE
					  : (enum sampled_by)command->weight;
	options->form = (enum report_form)command->form;
	options->order = command->order != UINT32_MAX ? (enum view_order)command->order
						      : command->choice.view->order;
	options->thread = command->thread == NOT_GIVEN ? KYMO_NO_THREAD : (uint32_t)command->thread;
	options->has_group = command->group != UINT32_MAX;
	options->group = options->has_group ? (enum parts_by)command->group : PARTS_BY_THREAD;
	options->above = command->above == NOT_GIVEN ? DEFAULT_ABOVE : (double)command->above;
	options->top = command->top;
	if (command->top == NOT_GIVEN)
		options->top = options->form == REPORT_TEXT ? command->choice.view->top : 0;
	return KYMO_OK;
}

static enum kymo_status report_check_thread(const struct loaded_run *loaded, uint32_t thread,
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

struct report_work { /* a report that is written */
	const struct report_command *command;
	struct report report;
};

static enum kymo_status report_write_view(void *context, FILE *out, struct problem *problem)
{
	struct report_work *work = context;
	const struct view_choice *choice = &work->command->choice;
	struct report *report = &work->report;

	report->out = out;
	terminal_widths(out, work->command->width, &report->options.width,
			&report->options.table_width);
	report->options.has_colour = terminal_has_colour(out, report->settings);
	return choice->name ? choice->view->write_named(report, choice->name, problem)
			    : choice->view->write(report, problem);
}

static enum kymo_status report_loaded(const struct report_command *command,
				      const struct loaded_run *loaded,
				      const struct settings *settings, struct problem *problem)
{
	struct report_work work = {
		command, {.loaded = loaded, .settings = settings, .options = command->options}};
	struct region_union *regions;
	struct run_facts *facts;
	enum kymo_status status = report_check_thread(loaded, command->options.thread, problem);

	if (status < 0)
		return status;
	work.report.options.sampled.weight = loaded->weight;
	xneed(run_facts_new(loaded, &facts) == KYMO_OK);
	xneed(region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK);
	work.report.facts = facts;
	work.report.regions = regions;
	status = xoutfile_write(command->output ? command->output : "-", report_write_view, &work,
				problem);
	region_union_free(regions);
	run_facts_free(facts);
	return status;
}

static enum kymo_status load_and_report(const struct report_command *command,
					const struct settings *settings, struct problem *problem)
{
	const struct loaded_options options = {
		.pid = (uint32_t)command->process,
		.wants_samples = command->has_samples || command->choice.view->needs_samples ||
				 command->weight != UINT32_MAX,
		.is_raw = command->is_raw,
		.sampled = command->options.sampled,
	};
	struct loaded_run *loaded;
	char *found = NULL;
	enum kymo_status status = find_run_or_newest(command->run, &found, problem);

	if (status == KYMO_OK)
		status = loaded_run_open(found, &options, &loaded, problem);
	if (status < 0)
		return status;
	status = report_loaded(command, loaded, settings, problem);
	loaded_run_free(loaded);
	return status;
}

static enum kymo_status report_act(void *given, struct problem *problem)
{
	struct report_command *command = given;
	struct settings *settings = NULL;
	enum kymo_status status = report_resolve_options(command, problem);

	if (status == KYMO_OK)
		status = command_settings_new(&settings, problem);
	if (status == KYMO_OK)
		status = load_and_report(command, settings, problem);
	settings_free(settings);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_command command = {
		.order = UINT32_MAX,
		.weight = UINT32_MAX,
		.width = WIDTH_NOT_GIVEN,
		.group = UINT32_MAX,
		.above = NOT_GIVEN,
		.top = NOT_GIVEN,
		.thread = NOT_GIVEN,
	};

	return command_run(&command, report_parse, report_act, argc, argv);
}
