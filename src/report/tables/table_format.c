/* One cell as text: the exact form of the boxed tables, and the plain form for people. */
#include "report/tables/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "text/quantity.h"

/* The last text that was not clean; kept, since a table has many of them or none. */
static struct textbuf printable;

_Static_assert(TABLE_CELL_MAX >= QUANTITY_MAX, "a quantity fits a cell");

bool table_cell_is_empty(const struct table_column *column, const struct table_cell *cell)
{
	bool is_number = column->kind != TABLE_TEXT && !table_column_is_whole(column);

	return cell->is_missing || (is_number && !isfinite(cell->number));
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
	/* Beyond this the fixed form says nothing more and may not fit. */
	else if (column->is_scientific || cell->number >= 1e30 || cell->number <= -1e30)
		snprintf(buffer, TABLE_CELL_MAX, "%.*e", column->precision, cell->number);
	else
		snprintf(buffer, TABLE_CELL_MAX, "%.*f", column->precision, cell->number);
	return buffer;
}

/* A plus where the number does not bring its sign along. */
static const char *with_sign(double number, char buffer[TABLE_CELL_MAX])
{
	bool is_zero = !strpbrk(buffer, "123456789");

	if (is_zero && buffer[0] == '-') {
		memmove(buffer, buffer + 1, strlen(buffer));
	} else if (!is_zero && number > 0) {
		memmove(buffer + 1, buffer, strnlen(buffer, TABLE_CELL_MAX - 2) + 1);
		buffer[0] = '+';
		buffer[TABLE_CELL_MAX - 1] = '\0';
	}
	return buffer;
}

const char *table_format_plain(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX])
{
	if (table_cell_is_empty(column, cell))
		return "-";
	switch (column->kind) {
	case TABLE_COUNT:
		buffer[0] = '~';
		(void)quantity_count(cell->count, buffer + cell->is_about);
		return buffer;
	case TABLE_DURATION:
		return quantity_duration_sure(cell->number, cell->error, buffer);
	case TABLE_CHANGE:
		quantity_duration(cell->number, buffer);
		return with_sign(cell->number, buffer);
	case TABLE_CHANGE_NUMBER:
		buffer[0] = '~';
		table_format_exact(column, cell, buffer + cell->is_about);
		(void)with_sign(cell->number, buffer + cell->is_about);
		return buffer;
	case TABLE_ID:
	case TABLE_PERCENT:
	case TABLE_NUMBER:
	case TABLE_TEXT:
		break;
	}
	return table_format_exact(column, cell, buffer);
}
