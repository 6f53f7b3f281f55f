/* A table with cells of most kinds, and what is written of it.  Include cmocka.h before. */
#ifndef KYMO_TABLE_FIXTURE_H
#define KYMO_TABLE_FIXTURE_H

#include <math.h>
#include <stdlib.h>

#include "report/tables/table.h"

static const struct table_column columns[] = {
	{"TIME", "time", TABLE_DURATION, 3, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"SHARE", "share", TABLE_PERCENT, 1, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
};

static const char *const names[] = {"größe", "say \"a,b\"", "a_long|name_that_may_be_cut"};

static inline struct table_cell cell(void *context, size_t row, unsigned int column)
{
	(void)context;
	switch (column) {
	case 0:
		return (struct table_cell){.number = 0.0015 * (double)(row + 1)};
	case 1:
		return (struct table_cell){.is_missing = row == 1, .count = 12345 * row};
	case 2:
		return (struct table_cell){.count = 12345};
	case 3:
		return (struct table_cell){.number = row == 2 ? (double)INFINITY : 12.34};
	default:
		return (struct table_cell){.text = names[row]};
	}
}

static const struct table table = {
	.columns = columns,
	.column_count = 5,
	.row_count = 3,
	.cell = cell,
};

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
