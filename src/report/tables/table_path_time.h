/* Columns of times of call paths, with their errors where they are estimates.  The view of the
 * items begins with a struct path_times, the row with its region; the member is a double, the time
 * in nanoseconds. */
#ifndef KYMO_TABLE_PATH_TIME_H
#define KYMO_TABLE_PATH_TIME_H

#include "model/tree/path_errors.h"
#include "report/tables/table_region.h"

struct path_times {
	struct region_texts texts;
	struct path_errors errors;
};

#define TABLE_PATH_ERRORS TABLE_HAS(0) /* a table whose errors are known has that */

#define POSITIONS_REMARK                                                                           \
	"\n(calls are counted exactly; times are estimates from where the threads were seen, "     \
	"which are off by more than +- in 5 of 100 runs)"

/* The time with its significant digits, its error, and the bounds of its interval. */
struct table_cell path_time(const struct table_item *item);
struct table_cell path_time_off(const struct table_item *item);
struct table_cell path_time_low(const struct table_item *item);
struct table_cell path_time_high(const struct table_item *item);

#define PATH_TIME_COLUMN(heading, key, type, member)                                               \
	{heading, key, TABLE_DURATION, TABLE_ALL, TABLE_MEMBER(path_time, type, member)},          \
	{                                                                                          \
		"+-", key "_error", TABLE_DURATION, TABLE_PEOPLE | TABLE_PATH_ERRORS,              \
			TABLE_MEMBER(path_time_off, type, member)                                  \
	}
#define PATH_BOUNDS_COLUMNS(heading, key, type, member)                                            \
	{heading " LOW", key "_low", TABLE_DURATION, TABLE_PROGRAMS | TABLE_PATH_ERRORS,           \
	 TABLE_MEMBER(path_time_low, type, member)},                                               \
	{                                                                                          \
		heading " HIGH", key "_high", TABLE_DURATION, TABLE_PROGRAMS | TABLE_PATH_ERRORS,  \
			TABLE_MEMBER(path_time_high, type, member)                                 \
	}

#endif
