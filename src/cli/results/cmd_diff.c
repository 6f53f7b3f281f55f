/* kymo diff: two runs, or two sets of them, compared; and whether the difference passes
 * conditions. */
#include <stdlib.h>
#include <string.h>

#include "base/owner.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/options/command_settings.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "cli/page/page_file.h"
#include "cli/results/diff_runs.h"
#include "cli/terminal.h"
#include "command/xoutfile.h"
#include "model/compare/diff_findings.h"
#include "model/compare/diff_make.h"
#include "report/diff/report_diff.h"
#include "report/diff/report_diff_findings.h"

#define DEFAULT_TOP   25
#define NOT_GIVEN     UINT64_MAX
#define STATUS_FAILED 3 /* a condition of --fail-if */

struct diff_command {
	struct diff_report_options options;
	unsigned int form, order; /* as parsed */
	uint64_t top;
	uint64_t width; /* WIDTH_NOT_GIVEN = depends on the output */
	struct option_words base, new, conditions;
	struct diff_condition parsed[OPTION_WORDS_MAX];
	bool is_any, has_samples;
	bool has_failed; /* a condition of --fail-if */
	const char *least, *output, *page;
	const char *before, *after; /* the two positional arguments */
};

static enum options_result diff_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct diff_command *command = given;
	const struct option_row rows[] = {
		{0, "base", OPTION_WORDS, &command->base, "RUN...", "The runs before"},
		{0, "new", OPTION_WORDS, &command->new, "RUN...", "The runs after"},
		{0, "fail-if", OPTION_TEXTS, &command->conditions, "CONDITION",
		 "End with status 3 where METRIC:REGION>VALUE holds: 'total:run>5%', "
		 "'self:parse>10ms', 'calls:/^load/>1.5x', 'peak_rss:run>10MB'; may be repeated"},
		{0, "any", OPTION_FLAG, &command->is_any, NULL,
		 "Fail also if the difference is not significant or undecided"},
		{0, "tree", OPTION_FLAG, &command->options.is_tree, NULL,
		 "The call paths as a tree, instead of the regions"},
		{'s', "sort", OPTION_CHOICE, &command->order, DIFF_ORDERS,
		 "The compared value, or the order of the rows (default: self; trees: total)"},
		ROW_TOP(&command->top),
		ROW_FILTER(&command->options.filter),
		{'m', "min-change", OPTION_TEXT, &command->least, "VALUE",
		 "Omit smaller changes: 5%, 2ms"},
		ROW_SAMPLES(&command->has_samples),
		ROW_TABLE_FORM(&command->form),
		ROW_TABLE_OUTPUT(&command->output),
		ROW_TABLE_WIDTH(&command->width),
		{0, "page", OPTION_TEXT, &command->page, "FILE",
		 "Also write FILE, a page of the new run with the changes"},
		ROW_FORCE,
	};
	const struct option_table table = {
		.command = "kymo diff",
		.usage = "[options] RUN RUN | --base RUN... --new RUN...",
		.description = "Compares runs: what is slower than before, faster, new or gone. "
			       "Each side is a run, a merged run, or "
			       "several runs of the same program, given with --base and --new or "
			       "separated by commas; with repeated runs, differences are tested "
			       "for significance.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	if (result != OPTIONS_PARSED)
		return result;
	if (argc != (command->base.count || command->new.count ? 0 : 2) ||
	    !command->base.count != !command->new.count) {
		problem_set(problem, KYMO_USAGE,
			    "two sides are needed: 'kymo diff BEFORE AFTER', or --base and --new "
			    "with runs each");
		return OPTIONS_FAILED;
	}
	if (command->page && strcmp(command->page, "-") == 0) {
		problem_set(problem, KYMO_USAGE,
			    "--page takes a file: standard output has the table");
		return OPTIONS_FAILED;
	}
	command->before = argc ? argv[0] : NULL;
	command->after = argc ? argv[1] : NULL;
	return result;
}

static enum kymo_status diff_resolve_options(struct diff_command *command, struct problem *problem)
{
	struct diff_report_options *options = &command->options;
	enum kymo_status status = KYMO_OK;

	options->form = (enum report_form)command->form;
	options->order = command->order != UINT32_MAX ? (enum diff_order)command->order
			 : options->is_tree	      ? DIFF_ORDER_TOTAL
						      : DIFF_ORDER_SELF;
	options->top = command->top != NOT_GIVEN		  ? command->top
		       : report_form_is_for_people(options->form) ? DEFAULT_TOP
								  : 0;
	if (options->is_tree && options->order == DIFF_ORDER_NAME)
		return problem_set(problem, KYMO_USAGE, "--sort name goes without --tree");
	if (command->least &&
	    !diff_amount_parse(command->least, &options->least, &options->least_is_percent))
		return problem_set(problem, KYMO_USAGE,
				   "--min-change takes a percentage or a time, such as 5%% or "
				   "2ms, not '%s'",
				   command->least);
	for (size_t i = 0; status == KYMO_OK && i < command->conditions.count; i++)
		status = diff_condition_parse(command->conditions.items[i], &command->parsed[i],
					      problem);
	return status;
}

struct diff_work { /* a comparison that is written */
	const struct diff_command *command;
	const struct settings *settings;
	struct diff_report report;
};

static enum kymo_status write_diff(void *context, FILE *out, struct problem *problem)
{
	struct diff_work *work = context;
	struct diff_report_options *options = &work->report.options;

	work->report.out = out;
	if (options->form == REPORT_TEXT) {
		terminal_widths(out, work->command->width, &options->width, &options->table_width);
		options->has_colour = terminal_has_colour(out, work->settings);
	}
	return report_diff(&work->report, problem);
}

/* Tables of values contain nothing else: the rest is printed on standard error. */
static void diff_print_notes(const struct diff_report *report)
{
	if (report_form_is_for_people(report->options.form))
		return;
	if (report->diff->warning)
		plaintext_print(stderr, "kymo: measured differently: %s\n", report->diff->warning);
	if (report->options.form == REPORT_CSV)
		report_diff_findings(report, stderr);
}

static enum kymo_status diff_compare(const struct diff_command *command, const struct diff *diff,
				     const struct settings *settings, bool *has_failed,
				     struct problem *problem)
{
	struct diff_work work = {command, settings, {.diff = diff, .options = command->options}};
	struct diff_findings *findings = NULL;
	enum kymo_status status = KYMO_OK;

	if (command->conditions.count > 0)
		status = diff_findings_new(diff, command->parsed, command->conditions.count,
					   command->is_any, &findings, problem);
	work.report.findings = findings;
	if (status == KYMO_OK)
		status = xoutfile_write(command->output ? command->output : "-", write_diff, &work,
					problem);
	if (status == KYMO_OK) {
		diff_print_notes(&work.report);
		*has_failed = findings && findings->has_failed;
	}
	diff_findings_free(findings);
	return status;
}

/* The first run after, with the call paths' totals of all runs. */
static enum kymo_status write_page(const struct diff_command *command,
				   const struct diff_loaded *loaded, struct problem *problem)
{
	const struct page_options options = {
		.timeline_bytes = PAGE_TIMELINE_BYTES,
		.sampled = loaded->sampled,
		.before = (const struct loaded_run *const *)loaded->runs[DIFF_BEFORE],
		.before_count = loaded->count[DIFF_BEFORE],
		.after = (const struct loaded_run *const *)loaded->runs[DIFF_AFTER],
		.after_count = loaded->count[DIFF_AFTER],
	};
	enum kymo_status status = KYMO_OK;

	if (command->page)
		status = page_file_write(loaded->runs[DIFF_AFTER][0], &options, command->page,
					 problem);
	if (status == KYMO_OK && command->page)
		plaintext_print(stderr, "kymo: wrote '%s'\n", command->page);
	return status;
}

static enum kymo_status load_and_compare(const struct diff_command *command,
					 const struct settings *settings, bool *has_failed,
					 struct problem *problem)
{
	struct diff_loaded loaded = {.sampled = sampled_options_from(settings),
				     .wants_samples = command->has_samples};
	struct diff *diff;
	enum kymo_status status =
		command->before
			? diff_loaded_pair(&loaded, command->before, command->after, problem)
			: diff_loaded_lists(&loaded, &command->base, &command->new, problem);

	if (status == KYMO_OK)
		status = diff_new((const struct loaded_run *const *)loaded.runs[DIFF_BEFORE],
				  loaded.count[DIFF_BEFORE],
				  (const struct loaded_run *const *)loaded.runs[DIFF_AFTER],
				  loaded.count[DIFF_AFTER], &diff, problem);
	if (status == KYMO_OK) {
		status = diff_compare(command, diff, settings, has_failed, problem);
		diff_free(diff);
	}
	if (status == KYMO_OK)
		status = write_page(command, &loaded, problem);
	diff_loaded_release(&loaded);
	return status;
}

static enum kymo_status diff_act(void *given, struct problem *problem)
{
	struct diff_command *command = given;
	struct settings *settings = NULL;
	enum kymo_status status = diff_resolve_options(command, problem);

	if (status == KYMO_OK)
		status = command_settings_new(&settings, problem);
	if (status == KYMO_OK)
		status = load_and_compare(command, settings, &command->has_failed, problem);
	settings_free(settings);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_command command = {
		.order = UINT32_MAX, .top = NOT_GIVEN, .width = WIDTH_NOT_GIVEN};
	int code = command_run(&command, diff_parse, diff_act, argc, argv);

	return code == 0 && command.has_failed ? STATUS_FAILED : code;
}
