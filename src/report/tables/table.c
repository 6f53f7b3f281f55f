/* Which columns of a table are shown, and its rows and cells. */
#include "report/tables/table.h"

#include <stdlib.h>

static bool table_shows(const struct table *table, const struct table_column *column)
{
	return (column->audience & table->audience & TABLE_WHO) != 0 &&
	       (column->audience & ~table->audience & ~TABLE_WHO) == 0;
}

void table_show(const struct table *table, struct table_shown *out)
{
	out->count = 0;
	for (unsigned int i = 0; i < table->column_count; i++) {
		if (!table_shows(table, &table->columns[i]))
			continue;
		if (out->count == TABLE_COLUMNS_MAX)
			abort();
		out->columns[out->count++] = &table->columns[i];
	}
}

const void *table_row(const struct table *table, size_t row)
{
	size_t number = table->order ? table->order[row] : row;

	if (!table->rows) /* its cells are addressed by number */
		return NULL;
	return (const char *)table->rows + number * table->row_bytes;
}

struct table_cell table_cell_of(const struct table *table, size_t row,
				const struct table_column *column)
{
	const struct table_item item = {table->view, table_row(table, row), column};

	return column->get(&item);
}
