/* The results of conditions: a sentence for each, all of one condition in one line. */
#include "report/diff/report_diff_findings.h"

#include <math.h>
#include <string.h>

#include "model/compare/diff_make.h"
#include "report/diff/report_diff_text.h"
#include "text/quantity.h"
#include "text/wrapped.h"

static const char *diff_outcome(const struct diff_finding *finding)
{
	return finding->is_failure ? "failed" : finding->is_undecided ? "undecided" : "passed";
}

static bool is_same_outcome(const struct diff_finding *a, const struct diff_finding *b)
{
	return a->is_failure == b->is_failure && a->is_undecided == b->is_undecided;
}

/* p as printed of the run; also the p-value that decides, if that differs. */
static void describe_chance(const struct diff_finding *finding, char *text, size_t size)
{
	bool is_chance = finding->holds && !finding->is_failure;
	size_t used;

	*text = '\0';
	if (finding->is_undecided)
		snprintf(text, size, "%s",
			 finding->may_be_none
				 ? "; within what the estimates may be off: measure more, or --any"
				 : "; a single pair of runs: repeat them, or --any");
	if (finding->is_undecided || isnan(finding->p))
		return;
	used = (size_t)snprintf(text, size, "%s%s", is_chance ? ", may be chance: " : ", ",
				finding->p < 0.0005 ? "p < 0.001" : "");
	if (finding->p >= 0.0005)
		used += (size_t)snprintf(text + used, size - used, "p = %.3f", finding->p);
	if (finding->p_corrected >= 0.0005 && finding->p_corrected > finding->p + 0.0005)
		snprintf(text + used, size - used, ", %.3f among all conditions",
			 finding->p_corrected);
}

static void diff_write_finding(const struct diff_report *report, const struct diff_finding *finding,
			       size_t count, FILE *out)
{
	char before[QUANTITY_MAX], after[QUANTITY_MAX], name[256] = "the run", more[64] = "",
							chance[96], text[1024];
	const struct diff_condition *condition = finding->condition;

	if (finding->region)
		region_name(diff_region_shown(finding->region), name, sizeof(name));
	if (count > 1)
		snprintf(more, sizeof(more), ", and %zu more", count - 1);
	describe_chance(finding, chance, sizeof(chance));
	snprintf(text, sizeof(text), "%s: %s %s, before %s, %+.1f %%%s%s", condition->text, name,
		 diff_condition_value(condition, finding->after, after, sizeof(after)),
		 diff_condition_value(condition, finding->before, before, sizeof(before)),
		 diff_percent(finding->before, finding->after), more, chance);
	fprintf(out, "%s%s%s ",
		diff_colour(report, finding->is_failure	    ? DIFF_RED
				    : finding->is_undecided ? DIFF_YELLOW
							    : DIFF_GREEN),
		diff_outcome(finding), diff_colour(report, DIFF_NORMAL));
	wrapped_write(text, strlen(diff_outcome(finding)) + 1, report->options.width, out);
}

void report_diff_findings(const struct diff_report *report, FILE *out)
{
	const struct diff_findings *findings = report->findings;

	for (size_t begin = 0, end; findings && begin < findings->count; begin = end) {
		const struct diff_finding *first = &findings->findings[begin];
		size_t alike = 0;

		for (end = begin; end < findings->count; end++) {
			if (findings->findings[end].condition != first->condition)
				break;
			alike += is_same_outcome(&findings->findings[end], first);
		}
		fputs(report->options.form == REPORT_MARKDOWN ? "- " : "", out);
		diff_write_finding(report, first, alike, out);
	}
}
