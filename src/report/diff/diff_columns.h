/* Getters shared by the tables of regions and of call paths that differ.
 *
 * Rows have a struct diff_value value[DIFF_SIDES], whose offset in the row is the column's `at`;
 * the view of the items begins with a struct diff_texts. */
#ifndef KYMO_DIFF_COLUMNS_H
#define KYMO_DIFF_COLUMNS_H

#include "report/diff/report_diff_types.h"
#include "report/tables/table_get.h"

struct diff_texts {
	enum diff_measure measure; /* the measure of the table */
	char text[REPORT_NAME_MAX];
};

#define DIFF_VALUES(getter, type) TABLE_MEMBER(getter, type, value)
/* The table's measure: after minus before, and both. */
struct table_cell diff_get_change(const struct table_item *item);
struct table_cell diff_get_before(const struct table_item *item);
struct table_cell diff_get_after(const struct table_item *item);
/* Additional calls; missing if the numbers are equal. */
struct table_cell diff_get_more(const struct table_item *item);

/* Sort keys: the difference of the table's measure, in seconds and in percent; and of the calls.
 * diff_order_key() selects one. */
struct table_cell diff_get_size(const struct table_item *item);
struct table_cell diff_get_size_percent(const struct table_item *item);
struct table_cell diff_get_size_calls(const struct table_item *item);
#define DIFF_ORDER_COLUMNS(type)                                                                   \
	{"", "size", TABLE_DURATION, TABLE_HIDDEN, DIFF_VALUES(diff_get_size, type)},              \
		{"", "size_percent", TABLE_NUMBER, TABLE_HIDDEN,                                   \
		 DIFF_VALUES(diff_get_size_percent, type)},                                        \
	{                                                                                          \
		"", "size_calls", TABLE_NUMBER, TABLE_HIDDEN,                                      \
			DIFF_VALUES(diff_get_size_calls, type)                                     \
	}
const char *diff_order_key(enum diff_order order);

/* One member of the values: DIFF_MEMBER(diff_get_difference, struct diff_node, self_ns).  The
 * percentage is missing if the value before was 0. */
#define DIFF_MEMBER(getter, type, member) TABLE_MEMBER(getter, type, value[DIFF_BEFORE].member)
struct table_cell diff_get_difference(const struct table_item *item);
struct table_cell diff_get_percent(const struct table_item *item);

/* The audience of the table. */
unsigned int diff_audience(const struct diff_report *report);

/* A text cell that is missing if the text is empty. */
struct table_cell diff_text_cell(const char *text);

#endif
