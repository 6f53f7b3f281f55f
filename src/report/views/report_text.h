/* Common code of the views of a report: the forms of a table, and remarks below it. */
#ifndef KYMO_REPORT_TEXT_H
#define KYMO_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"
#include "report/tables/table_region.h"

/* Write the table in the report's form; text and JSON begin with the facts when
 * has_facts.  rows_key names the rows in JSON. */
void report_write_table(const struct report *report, const struct table *table,
			const char *rows_key, bool has_facts);

/* The first rows of an order of their own, by the columns of these keys, as many as selected; the
 * last rest_count rows of it stay. */
void report_write_ordered(const struct report *report, struct table *table, const char *const *keys,
			  size_t rest_count, const char *rows_key);

/* Several tables in one: title is the line above it for people, except for the first. */
struct report_table {
	const struct table *table;
	const char *key, *title;
};
void report_write_tables(const struct report *report, const struct report_table *tables,
			 size_t count, bool has_facts);

/* How many of count rows are shown; with the remark on the others, for a table. */
size_t report_row_count(const struct report *report, size_t count);
void report_remark_rest(const struct report *report, size_t count, const char *noun);

/* Below a table of count rows, of which the last rest_count are no regions: if it shows none of
 * what noun names, print why: nothing matches the filter, or nothing was recorded at all, or by
 * that thread.  True if it did. */
bool report_remark_empty(const struct report *report, size_t count, size_t rest_count,
			 const char *noun);

/* The key of the column that --sort names: "self", "mean". */
const char *report_order_key(enum view_order order);

/* A line under a table of text; nothing in the other forms. */
void report_write_remark(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
