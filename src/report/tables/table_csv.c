/* Tables as comma-separated values, RFC 4180: one line per row, numbers unrounded. */
#include "report/tables/table_csv.h"

#include <inttypes.h>

#include "report/tables/table.h"
#include "report/tables/table_format.h"
#include "text/csv_text.h"

static void write_value(const struct table_column *column, const struct table_cell *cell, FILE *out)
{
	if (table_cell_is_empty(column, cell))
		return;
	if (column->kind == TABLE_TEXT)
		csv_write_text(cell->text, ",", out);
	else if (table_column_is_whole(column))
		fprintf(out, "%" PRIu64, cell->count);
	else
		fprintf(out, "%.12g", cell->number);
}

void table_write_csv(const struct table *table, FILE *out)
{
	struct table_shown shown;

	table_show(table, &shown);
	for (unsigned int column = 0; column < shown.count; column++) {
		fputs(column ? "," : "", out);
		csv_write_text(shown.columns[column]->key, ",", out);
	}
	putc('\n', out);
	for (size_t row = 0; row < table->row_count; row++) {
		for (unsigned int column = 0; column < shown.count; column++) {
			struct table_cell cell = table_cell_of(table, row, shown.columns[column]);

			fputs(column ? "," : "", out);
			write_value(shown.columns[column], &cell, out);
		}
		putc('\n', out);
	}
}
