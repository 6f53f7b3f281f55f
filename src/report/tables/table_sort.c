/* Sorts rows by columns, which are named by their keys. */
#include "report/tables/table_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"

#define SORT_TEXT_MAX 512

struct table_sorting {
	const struct table *table;
	const struct table_column *columns[TABLE_SORT_MAX];
	unsigned int count;
};

uint32_t *table_order_new(size_t count)
{
	uint32_t *order = xreallocarray(NULL, count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	return order;
}

static const struct table_column *sort_column(const struct table *table, const char *key)
{
	for (unsigned int i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i].key, key) == 0)
			return &table->columns[i];
	abort();
}

static struct table_cell sort_cell(const struct table_sorting *sorting, uint32_t number,
				   const struct table_column *column)
{
	const struct table *table = sorting->table;
	const struct table_item item = {
		table->view, (const char *)table->rows + number * table->row_bytes, column};

	return column->get(&item);
}

/* The text of a cell lives until the next one. */
static int sort_compare_texts(const struct table_sorting *sorting, uint32_t a, uint32_t b,
			      const struct table_column *column)
{
	struct table_cell cell = sort_cell(sorting, a, column);
	char text[SORT_TEXT_MAX];

	snprintf(text, sizeof(text), "%s", cell.text ? cell.text : "");
	cell = sort_cell(sorting, b, column);
	return strcmp(text, cell.text ? cell.text : "");
}

static int sort_compare_cells(const struct table_sorting *sorting, uint32_t a, uint32_t b,
			      const struct table_column *column)
{
	struct table_cell first, second;

	if (column->kind == TABLE_TEXT)
		return sort_compare_texts(sorting, a, b, column);
	first = sort_cell(sorting, a, column);
	second = sort_cell(sorting, b, column);
	if (column->kind == TABLE_ID)
		return (first.count > second.count) - (first.count < second.count);
	if (column->kind == TABLE_COUNT)
		return (first.count < second.count) - (first.count > second.count);
	if (isnan(first.number) || isnan(second.number))
		return (isnan(first.number) != 0) - (isnan(second.number) != 0);
	return (first.number < second.number) - (first.number > second.number);
}

static int sort_compare(const void *left, const void *right, void *context)
{
	const struct table_sorting *sorting = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	for (unsigned int i = 0; i < sorting->count; i++) {
		int order = sort_compare_cells(sorting, a, b, sorting->columns[i]);

		if (order)
			return order;
	}
	return (a > b) - (a < b);
}

void table_sort(struct table *table, size_t count, const char *const *keys)
{
	struct table_sorting sorting = {.table = table};

	for (; *keys; keys++) {
		if (sorting.count == TABLE_SORT_MAX)
			abort();
		sorting.columns[sorting.count++] = sort_column(table, *keys);
	}
	if (count > 1)
		qsort_r(table->order, count, sizeof(*table->order), sort_compare, &sorting);
}

void table_keep(struct table *table, size_t count, size_t top, size_t rest_count)
{
	size_t rest = count - rest_count, kept = top && top < rest ? top : rest;

	if (kept < rest)
		memmove(table->order + kept, table->order + rest,
			rest_count * sizeof(*table->order));
	table->row_count = kept + rest_count;
}
