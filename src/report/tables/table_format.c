/* One cell as text: the exact form of the boxed tables, and the plain form for people. */
#include "report/tables/table_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "report/tables/table.h"
#include "text/quantity.h"

/* The last text that had to be cleaned; cached, since a table has many of them or none. */
static struct textbuf printable;

_Static_assert(TABLE_CELL_MAX >= QUANTITY_MAX, "a quantity fits a cell");

bool table_cell_is_empty(const struct table_column *column, const struct table_cell *cell)
{
	bool is_number = column->kind != TABLE_TEXT && !table_column_is_whole(column);

	return cell->is_missing || (is_number && !isfinite(cell->number));
}

static int format_decimals(const struct table_column *column)
{
	return column->kind == TABLE_PERCENT ? 1 : column->precision;
}

const char *table_format_exact(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX])
{
	if (table_cell_is_empty(column, cell))
		return "-";
	if (column->kind == TABLE_TEXT)
		return plaintext_of(&printable, cell->text);
	if (table_column_is_whole(column))
		snprintf(buffer, TABLE_CELL_MAX, "%s%" PRIu64, cell->is_about ? "~" : "",
			 cell->count);
	/* Larger numbers do not fit the fixed form, and gain no precision from it. */
	else if (column->is_scientific || cell->number >= 1e30 || cell->number <= -1e30)
		snprintf(buffer, TABLE_CELL_MAX, "%.*e", format_decimals(column), cell->number);
	else
		snprintf(buffer, TABLE_CELL_MAX, "%.*f", format_decimals(column), cell->number);
	return buffer;
}

/* If it is too long, the end is cut. */
static void put_in_front(char character, char buffer[TABLE_CELL_MAX])
{
	size_t length = strnlen(buffer, TABLE_CELL_MAX - 2);

	memmove(buffer + 1, buffer, length);
	buffer[0] = character;
	buffer[length + 1] = '\0';
}

/* Add a plus unless the number is negative. */
static void add_sign(double number, char buffer[TABLE_CELL_MAX])
{
	bool is_zero = !strpbrk(buffer, "123456789");

	if (is_zero && buffer[0] == '-')
		memmove(buffer, buffer + 1, strlen(buffer));
	else if (!is_zero && number > 0)
		put_in_front('+', buffer);
}

const char *table_format_plain(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX])
{
	if (table_cell_is_empty(column, cell))
		return "-";
	switch (column->kind) {
	case TABLE_COUNT:
		quantity_count(cell->count, buffer);
		if (cell->is_about)
			put_in_front('~', buffer);
		return buffer;
	case TABLE_DURATION:
		return quantity_duration_sure(cell->number, cell->error, buffer);
	case TABLE_CHANGE:
		quantity_duration(cell->number, buffer);
		add_sign(cell->number, buffer);
		return buffer;
	case TABLE_CHANGE_NUMBER:
		table_format_exact(column, cell, buffer);
		add_sign(cell->number, buffer);
		if (cell->is_about)
			put_in_front('~', buffer);
		return buffer;
	case TABLE_ID:
	case TABLE_PERCENT:
	case TABLE_NUMBER:
	case TABLE_TEXT:
		break;
	}
	return table_format_exact(column, cell, buffer);
}
