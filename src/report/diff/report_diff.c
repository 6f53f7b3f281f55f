/* A comparison in every output form: the sides, the table, and the results of conditions. */
#include "report/diff/report_diff.h"

#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "model/compare/diff_make.h"
#include "model/profile/name_filter.h"
#include "model/profile/time_base.h"
#include "report/diff/report_diff_findings.h"
#include "report/diff/report_diff_json.h"
#include "report/diff/report_diff_regions.h"
#include "report/diff/report_diff_text.h"
#include "report/diff/report_diff_tree.h"
#include "report/tables/table_csv.h"
#include "report/tables/table_plain.h"
#include "report/views/report_text.h"
#include "text/quantity.h"
#include "text/wrapped.h"

#define FACT_COLUMN 13 /* column in which the facts begin */

static void diff_write_fact(const struct diff_report *report, const char *label, const char *text)
{
	bool is_text = report->options.form == REPORT_TEXT;

	if (is_text) {
		fprintf(report->out, "  %-*s", FACT_COLUMN - 2, label);
		wrapped_write(text, FACT_COLUMN, report->options.width, report->out);
	} else {
		plaintext_print(report->out, "- %s: %s\n", label, text);
	}
}

static void describe_side(const struct diff_runs *side, char *text, size_t size)
{
	char duration[QUANTITY_MAX], deviation[QUANTITY_MAX], share[QUANTITY_MAX];
	char more[32] = "", spread[QUANTITY_MAX + 8] = "";
	bool is_known = side->cost_percent >= 0;

	if (side->loaded_count > 1)
		snprintf(more, sizeof(more), " and %zu more", side->loaded_count - 1);
	if (side->run_count > 1)
		snprintf(spread, sizeof(spread), " +- %s",
			 quantity_duration(moments_deviation(&side->duration) * 1e-9, deviation));
	snprintf(text, size, "%s%s: %zu run%s of %s%s, %s%s", side->runs[0]->run->path, more,
		 side->run_count, side->run_count == 1 ? "" : "s",
		 quantity_duration(side->duration.mean * 1e-9, duration), spread,
		 is_known ? "of which measuring cost " : "the overhead is unknown",
		 is_known ? quantity_percent(side->cost_percent, share) : "");
}

static void describe_run(const struct diff *diff, char *text, size_t size)
{
	const struct moments *before = &diff->side[DIFF_BEFORE].duration;
	const struct moments *after = &diff->side[DIFF_AFTER].duration;
	struct welch welch = welch_test(before, after);
	double percent = diff_percent(before->mean, after->mean);
	char difference[QUANTITY_MAX], change[96];

	if (!welch.is_known)
		snprintf(change, sizeof(change), percent == 0 ? "%+.1f %%" : "undecided (%+.1f %%)",
			 percent);
	else
		snprintf(change, sizeof(change),
			 welch.p < 0.0005 ? "%+.1f %%, p < 0.001" : "%+.1f %%, p = %.3f", percent,
			 welch.p);
	snprintf(text, size, "%s%s, %s", after->mean > before->mean ? "+" : "",
		 quantity_duration((after->mean - before->mean) * 1e-9, difference), change);
}

static void write_head(const struct diff_report *report)
{
	const struct diff *diff = report->diff;
	char text[5000];

	fputs(diff_colour(report, DIFF_BOLD), report->out);
	plaintext_print(report->out, "%s", diff->side[DIFF_AFTER].facts[0]->program);
	fprintf(report->out, "%s\n", diff_colour(report, DIFF_NORMAL));
	if (report->options.form == REPORT_MARKDOWN)
		putc('\n', report->out);
	describe_side(&diff->side[DIFF_BEFORE], text, sizeof(text));
	diff_write_fact(report, "before", text);
	describe_side(&diff->side[DIFF_AFTER], text, sizeof(text));
	diff_write_fact(report, "after", text);
	describe_run(diff, text, sizeof(text));
	diff_write_fact(report, "difference", text);
	if (diff->warning) {
		snprintf(text, sizeof(text), "measured differently: %s", diff->warning);
		fputs(diff_colour(report, DIFF_YELLOW), report->out);
		diff_write_fact(report, "warning", text);
		fputs(diff_colour(report, DIFF_NORMAL), report->out);
	}
	putc('\n', report->out);
}

/* The confidence of the table's verdicts. */
static void describe_sureness(const struct diff_report *report, const struct diff_view *view,
			      char *text, size_t size)
{
	const struct diff *diff = report->diff;
	const char *unsure = "~: may be chance";
	size_t region_count = view->table.row_count - view->rest_count;

	*text = '\0';
	if (!diff->has_repeats && !view->has_tests && !view->verdicts[DIFF_UNDECIDED])
		return;
	if (!diff->has_repeats && !view->has_tests)
		snprintf(text, size,
			 "?: undecided, since a single pair of runs does not show the spread; "
			 "compare several of each: kymo diff --base RUN... --new RUN...");
	else if (!view->has_tests)
		snprintf(text, size, "paths are not tested; below %.1f %% may be chance (~)",
			 diff->noise_percent);
	else if (diff->has_repeats)
		snprintf(text, size, "P: Welch's test of the runs, corrected for %zu region%s; %s",
			 region_count, region_count == 1 ? "" : "s", unsure);
	else
		snprintf(text, size,
			 "P: from the intervals of the samples, corrected for %zu region%s; %s; "
			 "?: more than that, but what varies from run to run is not known",
			 region_count, region_count == 1 ? "" : "s", unsure);
}

static void describe_rows(const struct diff_view *view, char *text, size_t size)
{
	static const enum diff_verdict order[] = {DIFF_SLOWER,	DIFF_FASTER, DIFF_ADDED,
						  DIFF_REMOVED, DIFF_SAME,   DIFF_UNDECIDED};
	static const char *const words[] = {"slower", "faster",		  "new",
					    "gone",   "perhaps the same", "undecided"};
	size_t used = 0;

	*text = '\0';
	if (view->table.row_count == view->rest_count)
		used = (size_t)snprintf(text, size, "no region differs");
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (view->verdicts[order[i]] > 0)
			used += (size_t)snprintf(text + used, size - used, "%s%zu %s",
						 used ? ", " : "", view->verdicts[order[i]],
						 words[i]);
	}
	if (view->more_count > 0)
		snprintf(text + used, size - used, "; %zu more differ, --top 0 shows all",
			 view->more_count);
}

/* Which values are estimates. */
static void describe_estimates(const struct diff_report *report, char *text, size_t size)
{
	const struct diff *diff = report->diff;

	*text = '\0';
	if (!report->options.is_tree && diff->has_estimates)
		snprintf(text, size,
			 "+-: times are estimates where it stands; differences are off by more "
			 "in 5 of 100 comparisons, and undecided (?) where that includes none");
	else if (report->options.is_tree && diff->has_estimated_counts)
		snprintf(text, size,
			 "~ before calls: estimates; how often a function was called is exact, "
			 "its callers are known for timed calls only");
}

static void write_sentence(const struct diff_report *report, const char *text)
{
	if (!*text)
		return;
	if (report->options.form == REPORT_MARKDOWN)
		putc('\n', report->out);
	wrapped_write(text, 0, report->options.width, report->out);
}

static void write_remarks(const struct diff_report *report, const struct diff_view *view)
{
	char text[512];

	if (view->table.row_count == 0) {
		if (view->is_unmatched)
			fprintf(report->out, "(no region matches the filter '%s')\n",
				report->options.filter);
		else
			fprintf(report->out, "(%s)\n",
				report->options.filter || report->options.least > 0
					? "nothing selected differs"
					: "no differences");
		return;
	}
	putc('\n', report->out);
	describe_rows(view, text, sizeof(text));
	wrapped_write(text, 0, report->options.width, report->out);
	describe_sureness(report, view, text, sizeof(text));
	write_sentence(report, text);
	describe_estimates(report, text, sizeof(text));
	write_sentence(report, text);
}

static void diff_write_view(const struct diff_report *report, const struct diff_view *view)
{
	switch (report->options.form) {
	case REPORT_JSON:
		report_diff_json(report, view);
		return;
	case REPORT_CSV:
		table_write_csv(&view->table, report->out);
		return;
	case REPORT_TEXT:
		write_head(report);
		if (view->table.row_count > 0)
			table_write_plain(&view->table, report->options.table_width,
					  report->options.has_colour, report->out);
		break;
	case REPORT_MARKDOWN:
		fputs("### ", report->out);
		write_head(report);
		if (view->table.row_count > 0)
			table_write_markdown(&view->table, report->out);
		break;
	}
	write_remarks(report, view);
	if (report->findings) {
		putc('\n', report->out);
		report_diff_findings(report, report->out);
	}
}

static bool diff_is_matched(const struct diff *diff, const struct name_filter *filter)
{
	for (uint32_t i = 0; i < diff->region_count + diff->rest_count; i++)
		for (int side = 0; side < DIFF_SIDES; side++)
			if (diff->regions[i].region[side] &&
			    name_filter_accepts(filter, diff->regions[i].region[side]))
				return true;
	return false;
}

enum kymo_status report_diff(const struct diff_report *report, struct problem *problem)
{
	struct name_filter filter;
	struct diff_view view;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	view = (report->options.is_tree ? diff_view_tree : diff_view_regions)(report, &filter);
	view.is_unmatched = report->options.filter && !diff_is_matched(report->diff, &filter);
	diff_write_view(report, &view);
	name_filter_release(&filter);
	return KYMO_OK;
}
