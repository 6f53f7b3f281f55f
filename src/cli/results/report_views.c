/* Which views there are, and choosing one. */
#include "cli/results/report_views.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"

#define DEFAULT_TOP 25
#define PARTS_TOP   100 /* ranks are looked at side by side */

const struct report_view report_views[] = {
	/* The first is what is shown when nothing is chosen. */
	{"flat", NULL, "One row a region, all of them (default: the first 25)",
	 VIEW_FILTER | VIEW_SORT | VIEW_THREAD, ORDER_SELF, 0, false, report_flat, NULL},
	{"tree", NULL, "The call paths as a tree, the largest first",
	 VIEW_FILTER | VIEW_SORT | VIEW_THREAD, ORDER_TOTAL, DEFAULT_TOP, false, report_tree, NULL},
	{"hot-path", NULL, "Down the call path that most of the time goes through",
	 VIEW_THREAD | VIEW_ABOVE, ORDER_TOTAL, DEFAULT_TOP, false, report_hot_path, NULL},
	{"findings", NULL, "What stands out in this run, a sentence each", 0, ORDER_TOTAL, 0, false,
	 report_findings, NULL},
	{"callers", "NAME", "Who calls the region of that name", VIEW_THREAD, ORDER_TOTAL,
	 DEFAULT_TOP, false, NULL, report_callers},
	{"callees", "NAME", "Whom the region of that name calls", VIEW_THREAD, ORDER_TOTAL,
	 DEFAULT_TOP, false, NULL, report_callees},
	{"butterfly", "NAME", "Both, above and below the region", VIEW_THREAD, ORDER_TOTAL,
	 DEFAULT_TOP, false, NULL, report_butterfly},
	{"by-module", NULL, "One row a Python package or module, or a library",
	 VIEW_FILTER | VIEW_SORT | VIEW_THREAD, ORDER_SELF, DEFAULT_TOP, false, report_modules,
	 NULL},
	{"ranks", NULL, "How the time is spread over ranks, processes or threads",
	 VIEW_FILTER | VIEW_SORT | VIEW_REGION | VIEW_GROUP | VIEW_OF_ALL_TIME, ORDER_NAME,
	 PARTS_TOP, false, report_ranks, NULL},
	{"imbalance", NULL, "Which regions are spread unevenly, and what that costs",
	 VIEW_FILTER | VIEW_GROUP | VIEW_OF_ALL_TIME, ORDER_TOTAL, DEFAULT_TOP, false,
	 report_imbalance, NULL},
	{"histogram", "NAME", "How many have how much time in the region of that name",
	 VIEW_GROUP | VIEW_BINS | VIEW_OF_ALL_TIME, ORDER_TOTAL, 0, false, NULL, report_histogram},
	{"repeats", NULL, "Means, deviations and intervals over repeated runs that were merged",
	 VIEW_FILTER | VIEW_SORT | VIEW_OF_ALL_TIME, ORDER_SELF, DEFAULT_TOP, false, report_repeats,
	 NULL},
	{"score", NULL, "What a trace of every call would cost, and which regions are not worth it",
	 VIEW_FILTER | VIEW_SORT | VIEW_THREAD | VIEW_RULES | VIEW_OF_ALL_TIME, ORDER_CALLS,
	 DEFAULT_TOP, false, report_score, NULL},
	{"lines", NULL, "The lines of sources that the samples met", VIEW_FILTER | VIEW_THREAD,
	 ORDER_SELF, DEFAULT_TOP, true, report_lines, NULL},
	{"waits", NULL, "What threads wait for, and where", VIEW_THREAD | VIEW_OF_ALL_TIME,
	 ORDER_SELF, DEFAULT_TOP, false, report_waits, NULL},
	{"gil", NULL, "Who held Python's GIL, who waited for it, and which lines held it",
	 VIEW_THREAD | VIEW_OF_ALL_TIME, ORDER_SELF, DEFAULT_TOP, false, report_gil, NULL},
	{"metric", "NAME",
	 "The table of a metric as in the output files: wall_clock, trip_count, ...",
	 VIEW_THREAD | VIEW_OF_ALL_TIME, ORDER_SELF, DEFAULT_TOP, false, NULL, report_metric},
	{"processes", NULL, "The processes of the run", VIEW_THREAD | VIEW_OF_ALL_TIME, ORDER_SELF,
	 DEFAULT_TOP, false, report_processes, NULL},
	{"threads", NULL, "The threads of the run", VIEW_THREAD | VIEW_OF_ALL_TIME, ORDER_SELF,
	 DEFAULT_TOP, false, report_threads, NULL},
	{"series", NULL,
	 "Numbers over time: what the machine, the process and its counters came to",
	 VIEW_FILTER | VIEW_THREAD | VIEW_OF_ALL_TIME, ORDER_SELF, DEFAULT_TOP, false,
	 report_series, NULL},
};
const size_t report_view_count = sizeof(report_views) / sizeof(*report_views);
_Static_assert(sizeof(report_views) / sizeof(*report_views) <= REPORT_VIEWS_MAX,
	       "there is a flag for every view");

/* What follows the first 25 by default is all of them where --flat asks for it. */
static const struct report_view unasked = {
	.option = "flat",
	.takes = VIEW_FILTER | VIEW_SORT | VIEW_THREAD,
	.order = ORDER_SELF,
	.top = DEFAULT_TOP,
	.write = report_flat,
};

static const struct {
	unsigned int bit;
	const char *option;
} partial_options[] = {
	{VIEW_FILTER, "filter"}, {VIEW_SORT, "sort"},	      {VIEW_THREAD, "thread"},
	{VIEW_REGION, "region"}, {VIEW_GROUP, "group"},	      {VIEW_BINS, "bins"},
	{VIEW_ABOVE, "above"},	 {VIEW_RULES, "filter-file"},
};

void view_options(struct view_choice *choice, struct option_row *rows, size_t *count)
{
	for (size_t i = 0; i < report_view_count; i++) {
		const struct report_view *view = &report_views[i];

		rows[(*count)++] = (struct option_row){
			.name = view->option,
			.kind = view->argument ? OPTION_TEXT : OPTION_FLAG,
			.target = view->argument ? (void *)&choice->names[i] : &choice->flags[i],
			.argument = view->argument,
			.help = view->help,
		};
	}
}

static const struct report_view *view_called(const char *option)
{
	for (size_t i = 0; i < report_view_count; i++)
		if (strcmp(report_views[i].option, option) == 0)
			return &report_views[i];
	return NULL;
}

static const char *name_of(const struct view_choice *choice, const char *option)
{
	const struct report_view *view = view_called(option);

	return view ? choice->names[view - report_views] : NULL;
}

/* "--flat, --tree and --lines": the views that a mask chooses; 0 = all of them. */
static void list_views(struct textbuf *text, unsigned int takes)
{
	size_t left = 0;

	for (size_t i = 0; i < report_view_count; i++)
		left += !takes || report_views[i].takes & takes;
	for (size_t i = 0; i < report_view_count; i++) {
		if (takes && !(report_views[i].takes & takes))
			continue;
		left--;
		textbuf_format(text, "--%s%s", report_views[i].option,
			       left > 1	   ? ", "
			       : left == 1 ? " and "
					   : "");
	}
}

static enum kymo_status fail(struct problem *problem, const char *before, unsigned int takes,
			     const char *after)
{
	struct textbuf text = {0};
	char *views;

	list_views(&text, takes);
	views = textbuf_take(&text);
	problem_set(problem, KYMO_USAGE, "%s%s%s", before, views ? views : "...", after);
	free(views);
	return KYMO_USAGE;
}

static enum kymo_status check_options(const struct view_choice *choice, struct problem *problem)
{
	char before[64];

	for (size_t i = 0; i < sizeof(partial_options) / sizeof(*partial_options); i++) {
		unsigned int bit = partial_options[i].bit;

		if (!(choice->given & bit) || choice->view->takes & bit)
			continue;
		snprintf(before, sizeof(before), "--%s goes with ", partial_options[i].option);
		return fail(problem, before, bit, " only");
	}
	return KYMO_OK;
}

enum kymo_status view_settle(struct view_choice *choice, struct problem *problem)
{
	const char *callers = name_of(choice, "callers"), *callees = name_of(choice, "callees");
	size_t count = 0;

	choice->view = &unasked;
	for (size_t i = 0; i < report_view_count; i++) {
		if (!choice->flags[i] && !choice->names[i])
			continue;
		choice->view = &report_views[i];
		choice->name = choice->names[i];
		count++;
	}
	/* Callers and callees of one region are its butterfly. */
	if (count == 2 && callers && callees && strcmp(callers, callees) == 0) {
		choice->view = view_called("butterfly");
		choice->name = callers;
		count = 1;
	}
	if (count > 1)
		return fail(problem, "choose one of ", 0, "");
	return check_options(choice, problem);
}
