/* A table with cells of most kinds, and what is written of it.  Include cmocka.h before. */
#ifndef KYMO_TABLE_FIXTURE_H
#define KYMO_TABLE_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "report/tables/table.h"

/* Rows are numbers. */
static const size_t rows[] = {0, 1, 2};

static const char *const names[] = {"größe", "say \"a,b\"", "a_long|name_that_may_be_cut"};

static inline size_t row_of(const struct table_item *item)
{
	return *(const size_t *)item->row;
}

static inline struct table_cell get_time(const struct table_item *item)
{
	return (struct table_cell){.number = 0.0015 * (double)(row_of(item) + 1)};
}

static inline struct table_cell get_calls(const struct table_item *item)
{
	return (struct table_cell){.is_missing = row_of(item) == 1, .count = 12345 * row_of(item)};
}

static inline struct table_cell get_pid(const struct table_item *item)
{
	(void)item;
	return (struct table_cell){.count = 12345};
}

static inline struct table_cell get_share(const struct table_item *item)
{
	return (struct table_cell){.number = row_of(item) == 2 ? (double)INFINITY : 12.34};
}

static inline struct table_cell get_name(const struct table_item *item)
{
	return (struct table_cell){.text = names[row_of(item)]};
}

static const struct table_column columns[] = {
	{"TIME", "time", TABLE_DURATION, TABLE_ALL, .get = get_time, .precision = 3},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, .get = get_calls},
	{"NEVER", "never", TABLE_COUNT, TABLE_HIDDEN, .get = get_calls},
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = get_pid},
	{"SHARE", "share", TABLE_PERCENT, TABLE_ALL, .get = get_share},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = get_name},
};

static const struct table table = {TABLE_COLUMNS(columns), .audience = TABLE_PEOPLE,
				   TABLE_ROWS(rows, 3)};

/* Differences, twice: of durations, and of numbers. */
static const double change_values[] = {0.25, -0.25, 1e-12};

static inline struct table_cell get_change(const struct table_item *item)
{
	double scale = item->column->kind == TABLE_CHANGE ? 1 : 200;

	return (struct table_cell){.number = *(const double *)item->row * scale};
}

static const struct table_column change_columns[] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_ALL, .get = get_change},
	{"CHANGE", "change", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = get_change, .precision = 1},
};

#define CHANGES                                                                                    \
	TABLE_COLUMNS(change_columns), .audience = TABLE_PROGRAMS, TABLE_ROWS(change_values, 3)

struct capture {
	char *text;
	size_t size;
	FILE *out;
};

static inline FILE *capture_begin(struct capture *capture)
{
	capture->out = open_memstream(&capture->text, &capture->size);
	assert_non_null(capture->out);
	return capture->out;
}

static inline void capture_end(struct capture *capture, const char *expected)
{
	fclose(capture->out);
	assert_string_equal(capture->text, expected);
	free(capture->text);
}

#endif
