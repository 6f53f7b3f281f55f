/* Getters for columns whose value is a member of the row as it is. */
#include "report/tables/table_get.h"

#include <math.h>
#include <string.h>

#include "model/tree/call_count.h"

static const void *get_member(const struct table_item *item)
{
	return (const char *)item->row + item->column->at;
}

struct table_cell table_get_double(const struct table_item *item)
{
	double value = *(const double *)get_member(item);
	bool is_time = item->column->kind == TABLE_DURATION || item->column->kind == TABLE_CHANGE;

	return (struct table_cell){.is_missing = isnan(value),
				   .number = is_time ? value * 1e-9 : value};
}

struct table_cell table_get_count(const struct table_item *item)
{
	return (struct table_cell){.count = *(const uint64_t *)get_member(item)};
}

struct table_cell table_get_number(const struct table_item *item)
{
	return (struct table_cell){.count = *(const uint32_t *)get_member(item)};
}

struct table_cell table_get_flag(const struct table_item *item)
{
	return (struct table_cell){.count = *(const bool *)get_member(item)};
}

struct table_cell table_get_text(const struct table_item *item)
{
	return table_text(*(const char *const *)get_member(item));
}

struct table_cell table_get_line(const struct table_item *item)
{
	return table_line(*(const uint32_t *)get_member(item));
}

struct table_cell table_get_calls(const struct table_item *item)
{
	const struct call_count *calls = get_member(item);

	return (struct table_cell){.count = calls->count, .is_about = calls->is_estimated};
}

struct table_cell table_get_calls_low(const struct table_item *item)
{
	return (struct table_cell){.count = ((const struct call_count *)get_member(item))->low};
}

struct table_cell table_get_calls_high(const struct table_item *item)
{
	return (struct table_cell){.count = ((const struct call_count *)get_member(item))->high};
}
