/* Getters for columns whose value is a member of the row as it is. */
#include "report/tables/table_get.h"

#include <math.h>
#include <string.h>

#include "model/tree/call_count.h"

struct table_cell table_get_double(const struct table_item *item)
{
	double value = *(const double *)table_member(item);
	bool is_time = item->column->kind == TABLE_DURATION || item->column->kind == TABLE_CHANGE;

	return (struct table_cell){.is_missing = isnan(value),
				   .number = is_time ? value * 1e-9 : value};
}

struct table_cell table_get_count(const struct table_item *item)
{
	return (struct table_cell){.count = *(const uint64_t *)table_member(item)};
}

struct table_cell table_get_number(const struct table_item *item)
{
	return (struct table_cell){.count = *(const uint32_t *)table_member(item)};
}

struct table_cell table_get_flag(const struct table_item *item)
{
	return (struct table_cell){.count = *(const bool *)table_member(item)};
}

struct table_cell table_get_text(const struct table_item *item)
{
	return table_text(*(const char *const *)table_member(item));
}

struct table_cell table_get_line(const struct table_item *item)
{
	return table_line(*(const uint32_t *)table_member(item));
}

struct table_cell table_get_calls(const struct table_item *item)
{
	const struct call_count *calls = table_member(item);

	return (struct table_cell){.count = calls->count, .is_about = calls->is_estimated};
}

struct table_cell table_get_calls_low(const struct table_item *item)
{
	return (struct table_cell){.count = ((const struct call_count *)table_member(item))->low};
}

struct table_cell table_get_calls_high(const struct table_item *item)
{
	return (struct table_cell){.count = ((const struct call_count *)table_member(item))->high};
}
