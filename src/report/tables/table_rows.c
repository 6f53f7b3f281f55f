/* Getters for tables whose rows are call paths. */
#include "report/tables/table_rows.h"

#include "model/profile/rows.h"

struct table_cell table_get_row_calls(const struct table_item *item)
{
	const struct row *row = item->row;

	return (struct table_cell){.count = row->count, .is_about = row->is_count_estimated};
}

struct table_cell table_get_row_calls_low(const struct table_item *item)
{
	return (struct table_cell){.count = call_count_of((const struct row *)item->row).low};
}

struct table_cell table_get_row_calls_high(const struct table_item *item)
{
	return (struct table_cell){.count = call_count_of((const struct row *)item->row).high};
}

struct table_cell table_get_row_mean(const struct table_item *item)
{
	const struct row *row = item->row;

	return table_ns(row->count ? row->sum_ns / (double)row->count : 0);
}
