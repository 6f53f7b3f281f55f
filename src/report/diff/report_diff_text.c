/* Differences in words: changes, names of regions, and which changes are good or bad. */
#include "report/diff/report_diff_text.h"

#include <math.h>
#include <string.h>

#include "base/basename.h"
#include "model/compare/diff_make.h"
#include "report/views/report_text.h"

const char *diff_colour(const struct diff_report *report, const char *sequence)
{
	return report->options.has_colour ? sequence : "";
}

enum diff_measure diff_order_measure(enum diff_order order)
{
	return order == DIFF_ORDER_TOTAL  ? DIFF_TOTAL
	       : order == DIFF_ORDER_MEAN ? DIFF_MEAN
					  : DIFF_SELF;
}

double diff_value_of(const struct diff_value *value, enum diff_measure measure)
{
	switch (measure) {
	case DIFF_SELF:
		return value->self_ns;
	case DIFF_TOTAL:
		return value->total_ns;
	case DIFF_COUNT:
		return value->count;
	case DIFF_MEAN:
		break;
	}
	return value->count > 0 ? value->total_ns / value->count : 0;
}

bool diff_is_shown(const struct diff_report *report, double before, double after)
{
	double size = report->options.least_is_percent ? fabs(diff_percent(before, after))
						       : fabs(after - before);

	return size >= report->options.least;
}

void diff_change_text(const struct diff_value value[DIFF_SIDES], enum diff_measure measure,
		      enum diff_verdict verdict, char text[DIFF_CHANGE_MAX])
{
	double before = diff_value_of(&value[DIFF_BEFORE], measure);
	double after = diff_value_of(&value[DIFF_AFTER], measure);
	double percent = diff_percent(before, after);
	char number[DIFF_CHANGE_MAX - 8];
	const char *mark = verdict == DIFF_UNDECIDED		  ? "?"
			   : verdict == DIFF_SAME && percent != 0 ? "~"
								  : "";

	if (verdict == DIFF_ADDED || verdict == DIFF_REMOVED) {
		snprintf(text, DIFF_CHANGE_MAX, "%9s", verdict == DIFF_ADDED ? "new" : "gone");
		return;
	}
	if (fabs(percent) < 1e6)
		snprintf(number, sizeof(number), percent == 0 ? "0.0 %%" : "%+.1f %%", percent);
	else
		snprintf(number, sizeof(number), isinf(percent) ? "from 0" : "%+.1e %%", percent);
	snprintf(text, DIFF_CHANGE_MAX, "%s%*s", mark, *mark ? 8 : 9, number);
}

void diff_region_text(const struct diff_region *region, char *text, size_t size)
{
	const struct region *before = region->region[DIFF_BEFORE];
	const struct region *after = region->region[DIFF_AFTER];
	bool is_same_file = before && after && before->file && after->file &&
			    strcmp(path_base_name(before->file), path_base_name(after->file)) == 0;
	char whole[REPORT_NAME_MAX], place[REPORT_NAME_MAX / 2];

	report_region(diff_region_shown(region), whole, sizeof(whole));
	if (region->match == DIFF_BY_KIND) {
		snprintf(text, size, "%s (other object)", whole);
	} else if (region->match != DIFF_BY_NAME && region->match != DIFF_BY_FILE) {
		snprintf(text, size, "%s", whole);
	} else if (!is_same_file) {
		region_location(before, place, sizeof(place));
		snprintf(text, size, "%s (was %s)", whole, place);
	} else if (before->line != after->line) {
		snprintf(text, size, "%s (was %u)", whole, before->line);
	} else {
		snprintf(text, size, "%s", whole);
	}
}

enum table_tone diff_tone(enum diff_verdict verdict, double before, double after)
{
	if (verdict == DIFF_SAME || verdict == DIFF_UNDECIDED || before == after)
		return TABLE_NEUTRAL;
	return after > before ? TABLE_BAD : TABLE_GOOD;
}
