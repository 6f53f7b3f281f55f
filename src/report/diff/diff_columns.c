/* Getters shared by the tables of regions and of call paths that differ. */
#include "report/diff/diff_columns.h"

#include <math.h>

#include "model/compare/diff_make.h"
#include "report/diff/report_diff_text.h"

struct diff_pair {
	double before, after;
};

/* The measure of the table. */
static struct diff_pair diff_measured(const struct table_item *item)
{
	const struct diff_texts *texts = item->view;
	const struct diff_value *value = table_member(item);

	return (struct diff_pair){diff_value_of(&value[DIFF_BEFORE], texts->measure),
				  diff_value_of(&value[DIFF_AFTER], texts->measure)};
}

/* A member of the value before, and the same of the value after, which is adjacent. */
static struct diff_pair diff_members(const struct table_item *item)
{
	const char *before = table_member(item);

	_Static_assert(DIFF_AFTER == DIFF_BEFORE + 1, "the value after is adjacent");
	return (struct diff_pair){
		*(const double *)(const void *)before,
		*(const double *)(const void *)(before + sizeof(struct diff_value)),
	};
}

struct table_cell diff_get_change(const struct table_item *item)
{
	struct diff_pair pair = diff_measured(item);

	return (struct table_cell){.number = pair.after * 1e-9 - pair.before * 1e-9};
}

struct table_cell diff_get_before(const struct table_item *item)
{
	return table_ns(diff_measured(item).before);
}

struct table_cell diff_get_after(const struct table_item *item)
{
	return table_ns(diff_measured(item).after);
}

struct table_cell diff_get_more(const struct table_item *item)
{
	const struct diff_value *value = table_member(item);
	double before = value[DIFF_BEFORE].count, after = value[DIFF_AFTER].count;

	return (struct table_cell){.is_missing = after == before, .number = after - before};
}

struct table_cell diff_get_size(const struct table_item *item)
{
	struct diff_pair pair = diff_measured(item);

	return table_ns(fabs(pair.after - pair.before));
}

struct table_cell diff_get_size_percent(const struct table_item *item)
{
	struct diff_pair pair = diff_measured(item);

	return (struct table_cell){.number = fabs(diff_percent(pair.before, pair.after))};
}

struct table_cell diff_get_size_calls(const struct table_item *item)
{
	return (struct table_cell){.number = fabs(diff_get_more(item).number)};
}

const char *diff_order_key(enum diff_order order)
{
	return order == DIFF_ORDER_CALLS    ? "size_calls"
	       : order == DIFF_ORDER_CHANGE ? "size_percent"
					    : "size";
}

struct table_cell diff_get_difference(const struct table_item *item)
{
	struct diff_pair pair = diff_members(item);
	double difference = pair.after - pair.before;

	return (struct table_cell){.number = item->column->kind == TABLE_CHANGE ? difference * 1e-9
										: difference};
}

struct table_cell diff_get_percent(const struct table_item *item)
{
	struct diff_pair pair = diff_members(item);

	return (struct table_cell){.is_missing = !(pair.before > 0),
				   .number = diff_percent(pair.before, pair.after)};
}

unsigned int diff_audience(const struct diff_report *report)
{
	return report_form_is_for_people(report->options.form) ? TABLE_PEOPLE : TABLE_PROGRAMS;
}

struct table_cell diff_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text || !*text, .text = text};
}
