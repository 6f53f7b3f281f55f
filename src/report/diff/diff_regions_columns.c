/* The columns of the table of regions that differ. */
#include "report/diff/diff_regions_columns.h"

#include <math.h>

#include "report/diff/report_diff_text.h"

static const struct diff_judgement *regions_judgement(const struct table_item *item)
{
	const struct diff_regions_view *view = item->view;

	return &view->judgements[(const struct diff_region *)item->row -
				 view->report->diff->regions];
}

static const struct region *regions_shown(const struct table_item *item)
{
	return diff_region_shown(item->row);
}

/* The error of the difference, in two digits; measured values have none. */
static struct table_cell regions_error(const struct table_item *item)
{
	const struct diff_regions_view *view = item->view;
	const struct diff_region *region = item->row;
	struct diff_interval interval = diff_interval_of(region, view->texts.measure);
	double difference = diff_value_of(&region->value[DIFF_AFTER], view->texts.measure) -
			    diff_value_of(&region->value[DIFF_BEFORE], view->texts.measure);
	double ns = fmax(difference - interval.low, interval.high - difference);

	return (struct table_cell){
		.is_missing = !(interval.low < interval.high),
		.number = ns * 1e-9,
		.error = ns * 1e-10,
	};
}

static struct table_cell regions_change(const struct table_item *item)
{
	struct diff_regions_view *view = item->view;
	const struct diff_region *region = item->row;

	diff_change_text(region->value, view->texts.measure, regions_judgement(item)->verdict,
			 view->texts.text);
	return diff_text_cell(view->texts.text);
}

static struct table_cell regions_before(const struct table_item *item)
{
	struct table_cell cell = diff_get_before(item);

	cell.is_missing = !((const struct diff_region *)item->row)->region[DIFF_BEFORE];
	return cell;
}

static struct table_cell regions_after(const struct table_item *item)
{
	struct table_cell cell = diff_get_after(item);

	cell.is_missing = !((const struct diff_region *)item->row)->region[DIFF_AFTER];
	return cell;
}

static struct table_cell regions_calls(const struct table_item *item)
{
	const struct diff_region *region = item->row;

	return (struct table_cell){.is_missing = diff_is_rest(region),
				   .count = (uint64_t)(region->value[DIFF_AFTER].count + 0.5)};
}

static struct table_cell regions_chance_text(const struct table_item *item)
{
	struct diff_regions_view *view = item->view;
	double p = regions_judgement(item)->p;

	if (isnan(p))
		return table_text(NULL);
	snprintf(view->texts.text, sizeof(view->texts.text), p < 0.0005 ? "<0.001" : " %.3f", p);
	return table_text(view->texts.text);
}

static struct table_cell regions_chance(const struct table_item *item)
{
	double p = regions_judgement(item)->p;

	return (struct table_cell){.is_missing = isnan(p), .number = p};
}

static struct table_cell regions_region(const struct table_item *item)
{
	struct diff_regions_view *view = item->view;

	diff_region_text(item->row, view->texts.text, sizeof(view->texts.text));
	return diff_text_cell(view->texts.text);
}

static struct table_cell regions_status(const struct table_item *item)
{
	return diff_text_cell(diff_verdict_text(regions_judgement(item)->verdict));
}

static struct table_cell regions_match(const struct table_item *item)
{
	return diff_text_cell(diff_match_text(((const struct diff_region *)item->row)->match));
}

static struct table_cell regions_name(const struct table_item *item)
{
	struct diff_regions_view *view = item->view;

	region_name(regions_shown(item), view->texts.text, sizeof(view->texts.text));
	return diff_text_cell(view->texts.text);
}

static struct table_cell regions_module(const struct table_item *item)
{
	return diff_text_cell(regions_shown(item)->module);
}

/* The region of the side that the column's member selects. */
static const struct region *regions_side(const struct table_item *item)
{
	return *(const struct region *const *)table_member(item);
}

static struct table_cell regions_file(const struct table_item *item)
{
	const struct region *region = regions_side(item);

	return diff_text_cell(region ? region->file : NULL);
}

static struct table_cell regions_line(const struct table_item *item)
{
	const struct region *region = regions_side(item);

	return table_line(region ? region->line : 0);
}

static struct table_cell regions_self_low(const struct table_item *item)
{
	return table_ns(diff_interval_of(item->row, DIFF_SELF).low);
}

static struct table_cell regions_self_high(const struct table_item *item)
{
	return table_ns(diff_interval_of(item->row, DIFF_SELF).high);
}

static struct table_cell regions_total_low(const struct table_item *item)
{
	return table_ns(diff_interval_of(item->row, DIFF_TOTAL).low);
}

static struct table_cell regions_total_high(const struct table_item *item)
{
	return table_ns(diff_interval_of(item->row, DIFF_TOTAL).high);
}

#define REGIONS_OF(getter)	     DIFF_VALUES(getter, struct diff_region)
#define REGIONS_SIDE(getter, side)   TABLE_MEMBER(getter, struct diff_region, region[side])
#define REGIONS_VALUE(side, member)  TABLE_FIELD(struct diff_region, value[side].member)
#define REGIONS_DIFF(getter, member) DIFF_MEMBER(getter, struct diff_region, member)
#define REGIONS_END		     TABLE_CHANGE, TABLE_PROGRAMS | TABLE_ESTIMATES
#define REGIONS_PERCENT		     TABLE_CHANGE_NUMBER, TABLE_PROGRAMS

static const struct table_column columns[] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_PEOPLE, REGIONS_OF(diff_get_change)},
	{"+-", "error", TABLE_DURATION, TABLE_PEOPLE | TABLE_ESTIMATES, .get = regions_error},
	{"   CHANGE", "change", TABLE_TEXT, TABLE_PEOPLE, .get = regions_change},
	{"BEFORE", "before", TABLE_DURATION, TABLE_PEOPLE, REGIONS_OF(regions_before)},
	{"AFTER", "after", TABLE_DURATION, TABLE_PEOPLE, REGIONS_OF(regions_after)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PEOPLE, .get = regions_calls},
	{"MORE", "more_calls", TABLE_CHANGE_NUMBER, TABLE_PEOPLE, REGIONS_OF(diff_get_more)},
	{"     P", "p", TABLE_TEXT, TABLE_PEOPLE | TABLE_TESTS, .get = regions_chance_text},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, .get = regions_region},
	{"STATUS", "status", TABLE_TEXT, TABLE_PROGRAMS, .get = regions_status},
	{"MATCH", "match", TABLE_TEXT, TABLE_PROGRAMS, .get = regions_match},
	{"NAME", "name", TABLE_TEXT, TABLE_PROGRAMS, .get = regions_name},
	{"MODULE", "module", TABLE_TEXT, TABLE_PROGRAMS, .get = regions_module},
	{"FILE", "file", TABLE_TEXT, TABLE_PROGRAMS, REGIONS_SIDE(regions_file, DIFF_AFTER)},
	{"LINE", "line", TABLE_ID, TABLE_PROGRAMS, REGIONS_SIDE(regions_line, DIFF_AFTER)},
	{"FILE BEFORE", "file_before", TABLE_TEXT, TABLE_PROGRAMS,
	 REGIONS_SIDE(regions_file, DIFF_BEFORE)},
	{"LINE BEFORE", "line_before", TABLE_ID, TABLE_PROGRAMS,
	 REGIONS_SIDE(regions_line, DIFF_BEFORE)},
	{"SELF BEFORE", "self_before", TABLE_DURATION, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_BEFORE, self_ns)},
	{"SELF AFTER", "self_after", TABLE_DURATION, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_AFTER, self_ns)},
	{"SELF DIFF", "self_difference", TABLE_CHANGE, TABLE_PROGRAMS,
	 REGIONS_DIFF(diff_get_difference, self_ns)},
	{"SELF %", "self_percent", REGIONS_PERCENT, REGIONS_DIFF(diff_get_percent, self_ns),
	 .precision = 1},
	{"TOTAL BEFORE", "total_before", TABLE_DURATION, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_BEFORE, total_ns)},
	{"TOTAL AFTER", "total_after", TABLE_DURATION, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_AFTER, total_ns)},
	{"TOTAL DIFF", "total_difference", TABLE_CHANGE, TABLE_PROGRAMS,
	 REGIONS_DIFF(diff_get_difference, total_ns)},
	{"TOTAL %", "total_percent", REGIONS_PERCENT, REGIONS_DIFF(diff_get_percent, total_ns),
	 .precision = 1},
	{"CALLS BEFORE", "calls_before", TABLE_NUMBER, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_BEFORE, count)},
	{"CALLS AFTER", "calls_after", TABLE_NUMBER, TABLE_PROGRAMS,
	 REGIONS_VALUE(DIFF_AFTER, count)},
	{"CALLS DIFF", "calls_difference", TABLE_CHANGE_NUMBER, TABLE_PROGRAMS,
	 REGIONS_DIFF(diff_get_difference, count)},
	{"P", "p", TABLE_NUMBER, TABLE_PROGRAMS, .get = regions_chance, .precision = 3},
	{"SELF DIFF LOW", "self_difference_low", REGIONS_END, .get = regions_self_low},
	{"SELF DIFF HIGH", "self_difference_high", REGIONS_END, .get = regions_self_high},
	{"TOTAL DIFF LOW", "total_difference_low", REGIONS_END, .get = regions_total_low},
	{"TOTAL DIFF HIGH", "total_difference_high", REGIONS_END, .get = regions_total_high},
	DIFF_ORDER_COLUMNS(struct diff_region),
};

struct table diff_regions_table(struct diff_regions_view *view)
{
	return (struct table){
		TABLE_COLUMNS(columns),
		TABLE_ROWS(view->report->diff->regions, view->count),
		.order = view->regions,
		.view = view,
	};
}
