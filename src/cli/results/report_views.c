/* The table of views, and choosing one. */
#include "cli/results/report_views.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"

#define DEFAULT_TOP 25
#define PARTS_TOP   100 /* ranks are compared side by side */

const struct report_view report_views[] = {
#define VIEW(option, function, help, takes, order, top, of_samples)                                \
	{option, NULL, help, takes, order, top, of_samples, report_##function, NULL},
#define VIEW_OF_NAME(option, function, help, takes, order, top, of_samples)                        \
	{option, "NAME", help, takes, order, top, of_samples, NULL, report_##function},
#include "report/views/views.def"
#undef VIEW_OF_NAME
#undef VIEW
};
const size_t report_view_count = sizeof(report_views) / sizeof(*report_views);
_Static_assert(sizeof(report_views) / sizeof(*report_views) <= REPORT_VIEWS_MAX,
	       "there is a flag for every view");

/* Shows the first 25 by default, all of them with --flat. */
static const struct report_view default_view = {
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

static const char *views_name_of(const struct view_choice *choice, const char *option)
{
	const struct report_view *view = view_called(option);

	return view ? choice->names[view - report_views] : NULL;
}

/* "--flat, --tree and --lines": the views in a mask; 0 = all of them. */
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

static enum kymo_status views_fail(struct problem *problem, const char *before, unsigned int takes,
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

static enum kymo_status views_check_options(const struct view_choice *choice,
					    struct problem *problem)
{
	char before[64];

	for (size_t i = 0; i < sizeof(partial_options) / sizeof(*partial_options); i++) {
		unsigned int bit = partial_options[i].bit;

		if (!(choice->given & bit) || choice->view->takes & bit)
			continue;
		snprintf(before, sizeof(before), "--%s goes with ", partial_options[i].option);
		return views_fail(problem, before, bit, " only");
	}
	return KYMO_OK;
}

enum kymo_status view_resolve(struct view_choice *choice, struct problem *problem)
{
	const char *callers = views_name_of(choice, "callers"),
		   *callees = views_name_of(choice, "callees");
	size_t count = 0;

	choice->view = &default_view;
	for (size_t i = 0; i < report_view_count; i++) {
		if (!choice->flags[i] && !choice->names[i])
			continue;
		choice->view = &report_views[i];
		choice->name = choice->names[i];
		count++;
	}
	/* Callers and callees of the same region are its butterfly. */
	if (count == 2 && callers && callees && strcmp(callers, callees) == 0) {
		choice->view = view_called("butterfly");
		choice->name = callers;
		count = 1;
	}
	if (count > 1)
		return views_fail(problem, "choose one of ", 0, "");
	return views_check_options(choice, problem);
}
