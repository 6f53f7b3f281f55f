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

/* The boxed form with a banner over the columns; texts longer than text_limit (0 = no
 * limit) end in "...". */
void table_write_boxed(const struct table *table, const char *banner, unsigned int text_limit,
		       FILE *out);

/* For people: columns without frames.  Texts are cut so that lines are at most width
 * columns wide, 0 = no limit, and paths at their start; headings are dim when has_colour. */
void table_write_plain(const struct table *table, unsigned int width, bool has_colour, FILE *out);

/* Numbers as measured, unrounded. */
void table_write_csv(const struct table *table, FILE *out);

/* As in the plain form, for pages. */
void table_write_markdown(const struct table *table, FILE *out);

/* Its cells are whole numbers: count, not number. */
static inline bool table_column_is_whole(const struct table_column *column)
{
	return column->kind == TABLE_COUNT || column->kind == TABLE_ID;
}

/* Nothing to say, or no number: "-", in CSV nothing, in JSON null. */
bool table_cell_is_empty(const struct table_column *column, const struct table_cell *cell);

#define TABLE_CELL_MAX 64 /* bytes a number takes at most */

/* A cell that is no text as people read it: "1.234 s", "12,345".  Returns buffer. */
const char *table_format_plain(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX]);

/* As the column asks: fixed decimals or scientific.  Texts are cleaned for people
 * (base/text/plaintext.h) and stay valid until the next call of either function. */
const char *table_format_exact(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX]);

#endif
