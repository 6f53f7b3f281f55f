/* Tables as JSON. */
#include "report/tables/table_json.h"

static void json_write_cell(const struct table_column *column, const struct table_cell *cell,
			    struct json_writer *json)
{
	json_key(json, column->key);
	if (cell->is_missing)
		json_text(json, NULL);
	else if (column->kind == TABLE_TEXT)
		json_text(json, cell->text);
	else if (table_column_is_whole(column))
		json_count(json, cell->count);
	else
		json_number(json, cell->number);
}

void table_write_json(const struct table *table, struct json_writer *json)
{
	struct table_shown shown;

	table_show(table, &shown);
	json_begin_array(json);
	for (size_t row = 0; row < table->row_count; row++) {
		json_line(json);
		json_begin_object(json);
		for (unsigned int column = 0; column < shown.count; column++) {
			struct table_cell cell = table_cell_of(table, row, shown.columns[column]);

			json_write_cell(shown.columns[column], &cell, json);
		}
		json_end_object(json);
	}
	json_end_array(json);
}
