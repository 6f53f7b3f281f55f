/* Getters for columns whose value is a member of the row as it is.
 *
 * TABLE_FIELD(struct entry, self_ns) ends the line of such a column.  The meaning of a member
 * follows from its type and the column's kind: a double of a DURATION is nanoseconds. */
#ifndef KYMO_TABLE_GET_H
#define KYMO_TABLE_GET_H

#include "report/tables/table.h"

/* The member of the row at the column's offset. */
static inline const void *table_member(const struct table_item *item)
{
	return (const char *)item->row + item->column->at;
}

struct table_cell table_get_double(const struct table_item *item);
struct table_cell table_get_count(const struct table_item *item);
struct table_cell table_get_number(const struct table_item *item);
struct table_cell table_get_flag(const struct table_item *item);
struct table_cell table_get_text(const struct table_item *item);
/* The line of a file, 0 = not known. */
struct table_cell table_get_line(const struct table_item *item);
/* A struct call_count, and its bounds. */
struct table_cell table_get_calls(const struct table_item *item);
struct table_cell table_get_calls_low(const struct table_item *item);
struct table_cell table_get_calls_high(const struct table_item *item);

/* Members of other types do not compile. */
#define TABLE_FIELD(type, member)                                                                  \
	.get = _Generic(((type *)0)->member,                                                       \
		double: table_get_double,                                                          \
		uint64_t: table_get_count,                                                         \
		uint32_t: table_get_number,                                                        \
		bool: table_get_flag,                                                              \
		char *: table_get_text,                                                            \
		const char *: table_get_text),                                                     \
	.at = offsetof(type, member)

#define TABLE_MEMBER(getter, type, member) .get = (getter), .at = offsetof(type, member)

#endif
