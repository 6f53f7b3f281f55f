/* Tables: rows of a view, columns that get their cells from a row, and the functions that write
 * one.
 *
 * A column is one line of a static array.  The view owns the rows and returns each cell on demand,
 * possibly several times, so that no table is ever stored as text.  Text of a cell stays valid
 * until the next cell of the same table.  One thread. */
#ifndef KYMO_TABLE_H
#define KYMO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_kind {
	TABLE_TEXT,
	TABLE_COUNT,	     /* whole number */
	TABLE_ID,	     /* whole number that is no amount: a process, a line */
	TABLE_NUMBER,	     /* number with the column's decimals */
	TABLE_DURATION,	     /* seconds; printed with a suitable unit */
	TABLE_PERCENT,	     /* with one decimal */
	TABLE_CHANGE,	     /* difference of durations, with its sign */
	TABLE_CHANGE_NUMBER, /* difference of numbers with the column's decimals, likewise */
};

/* The audience of a column, any of the first eight bits; a table has one of them.  The bits above
 * are properties, all of which a table must have to show the column. */
enum table_audience {
	TABLE_HIDDEN = 0, /* for nobody: a sort key */
	TABLE_PEOPLE = 1 << 0,
	TABLE_PROGRAMS = 1 << 1,
	TABLE_ALL = TABLE_PEOPLE | TABLE_PROGRAMS,
	TABLE_OTHERS = 1 << 2, /* people who see another selection, as the view defines */
	TABLE_ESTIMATES = 1 << 8,
	TABLE_TESTS = 1 << 9, /* has p-values */
};
#define TABLE_WHO	 0xffu
#define TABLE_HAS(place) (1u << (10 + (place))) /* property defined by a view */

/* The meaning of a row as a colour; the text must show it, too. */
enum table_tone { TABLE_NEUTRAL, TABLE_GOOD, TABLE_BAD };

struct table_cell {
	bool is_missing;  /* no value: "-" */
	const char *text; /* TEXT */
	uint64_t count;	  /* COUNT */
	bool is_about;	  /* COUNT, CHANGE_NUMBER: an estimate, "~12,345" */
	double error;	  /* DURATION, for people: determines the digits; 0 = exact */
	double number;	  /* the other kinds */
};

struct table_column;

struct table_item { /* argument of a getter */
	void *view;
	const void *row;
	const struct table_column *column;
};
typedef struct table_cell table_get_fn(const struct table_item *item);

struct table_column {
	const char *heading; /* "SUM" */
	const char *key;     /* name in CSV and JSON, and for sorting: "sum" */
	enum table_kind kind;
	unsigned int audience; /* of enum table_audience */
	table_get_fn *get;
	size_t at;     /* for the getters of report/tables/table_get.h: a member of the row */
	int precision; /* decimals */
	int width;     /* minimum width of a cell */
	bool is_scientific;
};

struct table {
	const struct table_column *columns;
	unsigned int column_count;
	unsigned int audience; /* its audience and properties */
	const void *rows;
	size_t row_bytes;
	size_t row_count;
	uint32_t *order; /* indexes of the rows that are shown; NULL: the original order */
	void *view;	 /* of the items */
	enum table_tone (*tone)(void *view, const void *row); /* NULL = all are neutral */
};

#define TABLE_COLUMNS(array) .columns = (array), .column_count = sizeof(array) / sizeof(*(array))
#define TABLE_ROWS(array, count)                                                                   \
	.rows = (array), .row_bytes = sizeof(*(array)), .row_count = (count)

#define table_set_rows(table, array, count)                                                        \
	((table)->rows = (array), (table)->row_bytes = sizeof(*(array)),                           \
	 (table)->row_count = (count))

#define TABLE_COLUMNS_MAX 40

struct table_shown { /* the columns that the table's audience sees, in order */
	const struct table_column *columns[TABLE_COLUMNS_MAX];
	unsigned int count;
};
void table_show(const struct table *table, struct table_shown *out);

/* The row shown at that position, and one of its cells. */
const void *table_row(const struct table *table, size_t row);
struct table_cell table_cell_of(const struct table *table, size_t row,
				const struct table_column *column);

/* A cell of a PERCENT column; 0 if whole is 0. */
static inline struct table_cell table_percent(double part, double whole)
{
	return (struct table_cell){.number = whole > 0 ? 100 * part / whole : 0};
}

/* A cell of text, which may be NULL. */
static inline struct table_cell table_text(const char *text)
{
	return (struct table_cell){.is_missing = !text, .text = text};
}

/* A cell of a DURATION or CHANGE column. */
static inline struct table_cell table_ns(double ns)
{
	return (struct table_cell){.number = ns * 1e-9};
}

/* The line of a file, 0 = not known. */
static inline struct table_cell table_line(uint32_t line)
{
	return (struct table_cell){.is_missing = !line, .count = line};
}

/* Its cells are whole numbers: count, not number. */
static inline bool table_column_is_whole(const struct table_column *column)
{
	return column->kind == TABLE_COUNT || column->kind == TABLE_ID;
}

#endif
