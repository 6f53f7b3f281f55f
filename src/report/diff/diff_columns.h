/* Getters for what tables of regions and of call paths that differ both have.
 *
 * Rows have a struct diff_value value[DIFF_SIDES], whose place in the row is the column's `at`; the
 * view that the items carry begins with a struct diff_texts. */
#ifndef KYMO_DIFF_COLUMNS_H
#define KYMO_DIFF_COLUMNS_H

#include "report/diff/report_diff_types.h"
#include "report/tables/table_get.h"

struct diff_texts {
	enum diff_measure measure; /* that the table is about */
	char text[REPORT_NAME_MAX];
};

#define DIFF_VALUES(getter, type) TABLE_MEMBER(getter, type, value)
/* What the table is about: after less before, and both. */
struct table_cell diff_get_change(const struct table_item *item);
struct table_cell diff_get_before(const struct table_item *item);
struct table_cell diff_get_after(const struct table_item *item);
/* Calls that there are more; missing where there are as many. */
struct table_cell diff_get_more(const struct table_item *item);

/* To order by: how much what the table is about differs, in seconds and in percent; and the calls.
 * diff_order_key() says which. */
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
 * percentage is missing where there was nothing before. */
#define DIFF_MEMBER(getter, type, member) TABLE_MEMBER(getter, type, value[DIFF_BEFORE].member)
struct table_cell diff_get_difference(const struct table_item *item);
struct table_cell diff_get_percent(const struct table_item *item);

/* Whom a table is for. */
unsigned int diff_audience(const struct diff_report *report);

/* A text that is missing where it is empty. */
struct table_cell diff_text_cell(const char *text);

#endif
