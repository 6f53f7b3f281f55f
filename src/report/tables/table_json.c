/* Tables as JSON. */
#include "report/tables/table_json.h"

static void write_cell(const struct table_column *column, const struct table_cell *cell,
		       struct json_writer *json)
{
	json_key(json, column->key);
	if (cell->is_missing) {
		json_text(json, NULL);
		return;
	}
	switch (column->kind) {
	case TABLE_TEXT:
		json_text(json, cell->text);
		break;
	case TABLE_COUNT:
	case TABLE_ID:
		json_count(json, cell->count);
		break;
	case TABLE_NUMBER:
	case TABLE_DURATION:
	case TABLE_PERCENT:
	case TABLE_CHANGE:
	case TABLE_CHANGE_NUMBER:
		json_number(json, cell->number);
		break;
	}
}

void table_write_json(const struct table *table, struct json_writer *json)
{
	json_begin_array(json);
	for (size_t row = 0; row < table->row_count; row++) {
		json_line(json);
		json_begin_object(json);
		for (unsigned int column = 0; column < table->column_count; column++) {
			struct table_cell cell = table->cell(table->context, row, column);

			write_cell(&table->columns[column], &cell, json);
		}
		json_end_object(json);
	}
	json_end_array(json);
}
