/* Tables: a source of cells, and the ways to write one.
 *
 * A source owns its data and says each cell on demand, possibly several times, so that
 * no table is ever held as text.  Text of a cell stays valid until the next call of cell().
 * One thread. */
#ifndef KYMO_TABLE_H
#define KYMO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_kind {
	TABLE_TEXT,
	TABLE_COUNT,	/* whole number */
	TABLE_ID,	/* whole number that counts nothing: a process, a line */
	TABLE_NUMBER,	/* number with the column's decimals */
	TABLE_DURATION, /* seconds; readers get a unit that suits the value */
	TABLE_PERCENT,
	TABLE_CHANGE,	     /* difference of durations, with its sign */
	TABLE_CHANGE_NUMBER, /* difference of numbers with the column's decimals, likewise */
};

/* What a row means to those who see colours; the text has to say it as well. */
enum table_tone { TABLE_NEUTRAL, TABLE_GOOD, TABLE_BAD };

struct table_column {
	const char *heading; /* "SUM" */
	const char *key;     /* name in CSV and JSON: "sum" */
	enum table_kind kind;
	int precision; /* NUMBER and PERCENT: decimals */
	int width;     /* least width of a cell */
	bool is_scientific;
};

struct table_cell {
	bool is_missing;  /* nothing to say: "-" */
	const char *text; /* TEXT */
	uint64_t count;	  /* COUNT */
	bool is_about;	  /* COUNT, CHANGE_NUMBER: an estimate, "~12,345" */
	double error;	  /* DURATION, for people: no more digits than are sure; 0 = all are */
	double number;	  /* the other kinds */
};

/* A cell of a PERCENT column; of nothing it is 0. */
static inline struct table_cell table_percent(double part, double whole)
{
	return (struct table_cell){.number = whole > 0 ? 100 * part / whole : 0};
}

struct table {
	const struct table_column *columns;
	unsigned int column_count;
	size_t row_count;
	void *context;
	struct table_cell (*cell)(void *context, size_t row, unsigned int column);
	enum table_tone (*tone)(void *context, size_t row); /* NULL = all are neutral */
};

/* Its cells are whole numbers: count, not number. */
static inline bool table_column_is_whole(const struct table_column *column)
{
	return column->kind == TABLE_COUNT || column->kind == TABLE_ID;
}

#endif
