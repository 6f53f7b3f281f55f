/* The regions that differ, the largest difference first, each with how sure it is. */
#include "report/diff/report_diff_regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/compare/diff_make.h"
#include "model/profile/name_filter.h"
#include "report/diff/report_diff_text.h"

enum regions_column {
	COLUMN_DIFFERENCE,
	COLUMN_ERROR, /* only where times are estimates */
	COLUMN_CHANGE,
	COLUMN_BEFORE,
	COLUMN_AFTER,
	COLUMN_CALLS,
	COLUMN_MORE,
	COLUMN_P,
	COLUMN_REGION,
	/* Only where a program reads the table: */
	COLUMN_STATUS,
	COLUMN_MATCH,
	COLUMN_NAME,
	COLUMN_MODULE,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_FILE_BEFORE,
	COLUMN_LINE_BEFORE,
	COLUMN_SELF_BEFORE,
	COLUMN_SELF_AFTER,
	COLUMN_SELF_DIFFERENCE,
	COLUMN_SELF_PERCENT,
	COLUMN_TOTAL_BEFORE,
	COLUMN_TOTAL_AFTER,
	COLUMN_TOTAL_DIFFERENCE,
	COLUMN_TOTAL_PERCENT,
	COLUMN_CALLS_BEFORE,
	COLUMN_CALLS_AFTER,
	COLUMN_CALLS_DIFFERENCE,
	COLUMN_CHANCE,
	/* Only where times are estimates: */
	COLUMN_SELF_LOW,
	COLUMN_SELF_HIGH,
	COLUMN_TOTAL_LOW,
	COLUMN_TOTAL_HIGH,
};

#define PEOPLE_COLUMNS	COLUMN_STATUS
#define PROGRAM_COLUMNS (COLUMN_TOTAL_HIGH + 1 - PEOPLE_COLUMNS)

static const struct table_column people_columns[PEOPLE_COLUMNS] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"+-", "error", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"   CHANGE", "change", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"BEFORE", "before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"AFTER", "after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, .get = NULL},
	{"MORE", "more_calls", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = NULL},
	{"     P", "p", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"REGION", "region", TABLE_TEXT, TABLE_ALL, .get = NULL},
};

static const struct table_column program_columns[PROGRAM_COLUMNS] = {
	{"STATUS", "status", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"MATCH", "match", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"MODULE", "module", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"FILE", "file", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"LINE", "line", TABLE_ID, TABLE_ALL, .get = NULL},
	{"FILE BEFORE", "file_before", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"LINE BEFORE", "line_before", TABLE_ID, TABLE_ALL, .get = NULL},
	{"SELF BEFORE", "self_before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"SELF AFTER", "self_after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"SELF DIFF", "self_difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"SELF %", "self_percent", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = NULL, .precision = 1},
	{"TOTAL BEFORE", "total_before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"TOTAL AFTER", "total_after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"TOTAL DIFF", "total_difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"TOTAL %", "total_percent", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = NULL, .precision = 1},
	{"CALLS BEFORE", "calls_before", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS AFTER", "calls_after", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS DIFF", "calls_difference", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = NULL},
	{"P", "p", TABLE_NUMBER, TABLE_ALL, .get = NULL, .precision = 3},
	{"SELF DIFF LOW", "self_difference_low", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"SELF DIFF HIGH", "self_difference_high", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"TOTAL DIFF LOW", "total_difference_low", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"TOTAL DIFF HIGH", "total_difference_high", TABLE_CHANGE, TABLE_ALL, .get = NULL},
};

struct regions_view {
	const struct diff_report *report;
	enum diff_measure measure;
	const enum regions_column *order; /* of the columns */
	uint32_t *regions;
	size_t count, rest_count; /* with what is in no region, which comes last */
	struct diff_judgement *judgements;
	struct table_column columns[PROGRAM_COLUMNS]; /* those that are shown */
	enum regions_column shown[PROGRAM_COLUMNS];
	char text[REPORT_NAME_MAX];
};

static bool regions_is_chosen(const struct diff_report *report, const struct diff_region *region,
			      const struct name_filter *filter)
{
	const struct diff_value *before = &region->value[DIFF_BEFORE];
	const struct diff_value *after = &region->value[DIFF_AFTER];
	enum diff_measure measure = diff_order_measure(report->options.order);
	bool is_equal = before->self_ns == after->self_ns && before->total_ns == after->total_ns &&
			before->count == after->count &&
			!region->region[DIFF_BEFORE] == !region->region[DIFF_AFTER];

	if (is_equal ||
	    (report->options.least > 0 &&
	     !diff_is_shown(report, diff_value_of(before, measure), diff_value_of(after, measure))))
		return false;
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (region->region[side] && name_filter_accepts(filter, region->region[side]))
			return true;
	}
	return false;
}

static double sort_key(const struct regions_view *view, const struct diff_region *region)
{
	double before = diff_value_of(&region->value[DIFF_BEFORE], view->measure);
	double after = diff_value_of(&region->value[DIFF_AFTER], view->measure);

	switch (view->report->options.order) {
	case DIFF_ORDER_CALLS:
		return fabs(region->value[DIFF_AFTER].count - region->value[DIFF_BEFORE].count);
	case DIFF_ORDER_CHANGE:
		return fabs(diff_percent(before, after));
	case DIFF_ORDER_NAME:
		return 0;
	case DIFF_ORDER_SELF:
	case DIFF_ORDER_TOTAL:
	case DIFF_ORDER_MEAN:
		break;
	}
	return fabs(after - before);
}

static int compare_regions(const void *left, const void *right, void *context)
{
	const struct regions_view *view = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct diff_region *first = &view->report->diff->regions[a];
	const struct diff_region *second = &view->report->diff->regions[b];
	double first_key = sort_key(view, first), second_key = sort_key(view, second);
	char name[256], other[256];
	int difference;

	if (first_key != second_key)
		return first_key < second_key ? 1 : -1;
	region_name(diff_region_shown(first), name, sizeof(name));
	region_name(diff_region_shown(second), other, sizeof(other));
	difference = strcmp(name, other);
	return difference ? difference : a < b ? -1 : a > b;
}

static size_t regions_choose(struct regions_view *view, const struct name_filter *filter)
{
	const struct diff *diff = view->report->diff;
	uint64_t top = view->report->options.top;
	size_t chosen = 0;

	for (uint32_t i = 0; i < diff->region_count; i++) {
		if (regions_is_chosen(view->report, &diff->regions[i], filter))
			view->regions[chosen++] = i;
	}
	qsort_r(view->regions, chosen, sizeof(*view->regions), compare_regions, view);
	view->count = top && top < chosen ? (size_t)top : chosen;
	chosen -= view->count;
	/* However few regions are shown. */
	for (uint32_t i = diff->region_count; i < diff->region_count + diff->rest_count; i++) {
		if (regions_is_chosen(view->report, &diff->regions[i], filter)) {
			view->regions[view->count++] = i;
			view->rest_count++;
		}
	}
	return chosen;
}

/* What is in no region is tested by itself: it takes nothing from the regions' chances. */
static bool regions_judge(struct regions_view *view)
{
	size_t count = view->count - view->rest_count;

	return diff_judge(view->report->diff, view->measure, view->regions, count,
			  view->judgements) &&
	       diff_judge(view->report->diff, view->measure, view->regions + count,
			  view->rest_count, view->judgements + count);
}

static struct table_cell regions_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text || !*text, .text = text};
}

static struct table_cell regions_number_cell(double number, bool is_known)
{
	return (struct table_cell){.is_missing = !is_known, .number = number};
}

static struct table_cell regions_line_cell(const struct region *region)
{
	return (struct table_cell){
		.is_missing = !region || !region->line,
		.count = region ? region->line : 0,
	};
}

static struct table_cell chance_cell(struct regions_view *view, double p)
{
	if (isnan(p))
		return (struct table_cell){.is_missing = true};
	snprintf(view->text, sizeof(view->text), p < 0.0005 ? "<0.001" : " %.3f", p);
	return regions_text_cell(view->text);
}

/* How far off the difference may be, in two digits; what was measured is not off. */
static struct table_cell regions_error_cell(const struct regions_view *view,
					    const struct diff_region *region)
{
	struct diff_interval interval = diff_interval_of(region, view->measure);
	double difference = diff_value_of(&region->value[DIFF_AFTER], view->measure) -
			    diff_value_of(&region->value[DIFF_BEFORE], view->measure);
	double ns = fmax(difference - interval.low, interval.high - difference);

	return (struct table_cell){
		.is_missing = !(interval.low < interval.high),
		.number = ns * 1e-9,
		.error = ns * 1e-10,
	};
}

static struct table_cell regions_end_cell(const struct diff_region *region,
					  enum regions_column column)
{
	bool is_self = column == COLUMN_SELF_LOW || column == COLUMN_SELF_HIGH;
	bool is_low = column == COLUMN_SELF_LOW || column == COLUMN_TOTAL_LOW;
	struct diff_interval interval = diff_interval_of(region, is_self ? DIFF_SELF : DIFF_TOTAL);

	return regions_number_cell((is_low ? interval.low : interval.high) * 1e-9, true);
}

static struct table_cell regions_people_cell(struct regions_view *view,
					     const struct diff_region *region,
					     const struct diff_judgement *judgement,
					     enum regions_column column)
{
	const struct diff_value *before = &region->value[DIFF_BEFORE];
	const struct diff_value *after = &region->value[DIFF_AFTER];
	double first = diff_value_of(before, view->measure) * 1e-9;
	double second = diff_value_of(after, view->measure) * 1e-9;

	switch (column) {
	case COLUMN_DIFFERENCE:
		return regions_number_cell(second - first, true);
	case COLUMN_ERROR:
		return regions_error_cell(view, region);
	case COLUMN_CHANGE:
		diff_change_text(region->value, view->measure, judgement->verdict, view->text);
		return regions_text_cell(view->text);
	case COLUMN_BEFORE:
		return regions_number_cell(first, region->region[DIFF_BEFORE] != NULL);
	case COLUMN_AFTER:
		return regions_number_cell(second, region->region[DIFF_AFTER] != NULL);
	case COLUMN_CALLS:
		return (struct table_cell){.is_missing = diff_is_rest(region),
					   .count = (uint64_t)(after->count + 0.5)};
	case COLUMN_MORE:
		return regions_number_cell(after->count - before->count,
					   after->count != before->count);
	case COLUMN_P:
		return chance_cell(view, judgement->p);
	default:
		diff_region_text(region, view->text, sizeof(view->text));
		return regions_text_cell(view->text);
	}
}

static const char *regions_name_of(struct regions_view *view, const struct diff_region *region)
{
	region_name(diff_region_shown(region), view->text, sizeof(view->text));
	return view->text;
}

static struct table_cell regions_place_cell(struct regions_view *view,
					    const struct diff_region *region,
					    enum regions_column column)
{
	const struct region *before = region->region[DIFF_BEFORE];
	const struct region *after = region->region[DIFF_AFTER];

	switch (column) {
	case COLUMN_NAME:
		return regions_text_cell(regions_name_of(view, region));
	case COLUMN_MODULE:
		return regions_text_cell(diff_region_shown(region)->module);
	case COLUMN_FILE:
		return regions_text_cell(after ? after->file : NULL);
	case COLUMN_LINE:
		return regions_line_cell(after);
	case COLUMN_FILE_BEFORE:
		return regions_text_cell(before ? before->file : NULL);
	default:
		return regions_line_cell(before);
	}
}

static struct table_cell value_cell(const struct diff_region *region, enum regions_column column)
{
	const struct diff_value *before = &region->value[DIFF_BEFORE];
	const struct diff_value *after = &region->value[DIFF_AFTER];

	switch (column) {
	case COLUMN_SELF_BEFORE:
		return regions_number_cell(before->self_ns * 1e-9, true);
	case COLUMN_SELF_AFTER:
		return regions_number_cell(after->self_ns * 1e-9, true);
	case COLUMN_SELF_DIFFERENCE:
		return regions_number_cell((after->self_ns - before->self_ns) * 1e-9, true);
	case COLUMN_SELF_PERCENT:
		return regions_number_cell(diff_percent(before->self_ns, after->self_ns),
					   before->self_ns > 0);
	case COLUMN_TOTAL_BEFORE:
		return regions_number_cell(before->total_ns * 1e-9, true);
	case COLUMN_TOTAL_AFTER:
		return regions_number_cell(after->total_ns * 1e-9, true);
	case COLUMN_TOTAL_DIFFERENCE:
		return regions_number_cell((after->total_ns - before->total_ns) * 1e-9, true);
	case COLUMN_TOTAL_PERCENT:
		return regions_number_cell(diff_percent(before->total_ns, after->total_ns),
					   before->total_ns > 0);
	case COLUMN_CALLS_BEFORE:
		return regions_number_cell(before->count, true);
	case COLUMN_CALLS_AFTER:
		return regions_number_cell(after->count, true);
	default:
		return regions_number_cell(after->count - before->count, true);
	}
}

static struct table_cell regions_cell(void *context, size_t row, unsigned int index)
{
	struct regions_view *view = context;
	const struct diff_region *region = &view->report->diff->regions[view->regions[row]];
	const struct diff_judgement *judgement = &view->judgements[row];
	enum regions_column column = view->shown[index];

	if (column < PEOPLE_COLUMNS)
		return regions_people_cell(view, region, judgement, column);
	if (column == COLUMN_STATUS)
		return regions_text_cell(diff_verdict_text(judgement->verdict));
	if (column == COLUMN_MATCH)
		return regions_text_cell(diff_match_text(region->match));
	if (column == COLUMN_CHANCE)
		return regions_number_cell(judgement->p, !isnan(judgement->p));
	if (column >= COLUMN_SELF_LOW)
		return regions_end_cell(region, column);
	if (column >= COLUMN_SELF_BEFORE)
		return value_cell(region, column);
	return regions_place_cell(view, region, column);
}

static enum table_tone regions_tone(void *context, const void *row)
{
	struct regions_view *view = context;
	const uint32_t *region = row;
	const struct diff_value *value = view->report->diff->regions[*region].value;

	return diff_tone(view->judgements[region - view->regions].verdict,
			 diff_value_of(&value[DIFF_BEFORE], view->measure),
			 diff_value_of(&value[DIFF_AFTER], view->measure));
}

static unsigned int regions_choose_columns(struct regions_view *view, bool has_tests)
{
	enum report_form form = view->report->options.form;
	bool is_for_people = report_form_is_for_people(form);
	unsigned int first = is_for_people ? 0 : PEOPLE_COLUMNS, count = 0;
	unsigned int end = is_for_people ? PEOPLE_COLUMNS : PEOPLE_COLUMNS + PROGRAM_COLUMNS;

	for (unsigned int i = first; i < end; i++) {
		if (i == COLUMN_P && !has_tests)
			continue;
		if ((i == COLUMN_ERROR || i >= COLUMN_SELF_LOW) &&
		    !view->report->diff->has_estimates)
			continue;
		view->columns[count] =
			is_for_people ? people_columns[i] : program_columns[i - PEOPLE_COLUMNS];
		view->shown[count++] = (enum regions_column)i;
	}
	return count;
}

static void regions_release(void *data)
{
	struct regions_view *view = data;

	if (!view)
		return;
	free(view->regions);
	free(view->judgements);
	free(view);
}

static void regions_describe(struct regions_view *view, struct diff_view *out)
{
	for (size_t i = 0; i < view->count; i++) {
		out->verdicts[view->judgements[i].verdict] += i < view->count - view->rest_count;
		out->has_tests |= !isnan(view->judgements[i].p);
	}
	out->rest_count = view->rest_count;
	out->table = (struct table){
		.columns = view->columns,
		.column_count = regions_choose_columns(view, out->has_tests),
		TABLE_ROWS(view->regions, view->count),
		.context = view,
		.cell = regions_cell,
		.tone = regions_tone,
	};
}

enum kymo_status diff_view_regions(const struct diff_report *report,
				   const struct name_filter *filter, struct diff_view *out)
{
	struct regions_view *view = calloc(1, sizeof(*view));
	size_t count = (size_t)report->diff->region_count + report->diff->rest_count + 1;

	*out = (struct diff_view){.key = "regions", .data = view, .release = regions_release};
	if (!view)
		return KYMO_MEMORY;
	view->report = report;
	view->measure = diff_order_measure(report->options.order);
	view->regions = calloc(count, sizeof(*view->regions));
	view->judgements = calloc(count, sizeof(*view->judgements));
	if (!view->regions || !view->judgements)
		return KYMO_MEMORY;
	out->more_count = regions_choose(view, filter);
	if (!regions_judge(view))
		return KYMO_MEMORY;
	regions_describe(view, out);
	return KYMO_OK;
}
