/* Rows of a profile: built by the walk, then finished and labelled here. */
#include "model/profile/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/rows_walk.h"

static void clamp_self(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].self_ns < 0)
			rows->rows[i].self_ns = 0;
	}
}

static unsigned int digits_of(uint64_t number)
{
	unsigned int digits = 1;

	while (number >= 10) {
		number /= 10;
		digits++;
	}
	return digits;
}

static void count_digits(struct rows *rows)
{
	uint32_t threads = 0;

	for (size_t i = 0; i < rows->tree_count; i++) {
		if (threads < rows->trees[i]->recording->thread_count)
			threads = rows->trees[i]->recording->thread_count;
	}
	rows->thread_digits = digits_of(threads);
	rows->process_digits = digits_of(rows->tree_count);
}

enum kymo_status rows_new(const struct calltree *const *trees, size_t tree_count,
			  const struct rows_options *options, struct rows **out)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return KYMO_MEMORY;
	rows->trees = trees;
	rows->tree_count = tree_count;
	rows->options = *options;
	if (region_union_new(trees, tree_count, &rows->regions) < 0 || !rows_walk(rows)) {
		rows_free(rows);
		return KYMO_MEMORY;
	}
	clamp_self(rows);
	count_digits(rows);
	*out = rows;
	return KYMO_OK;
}

void rows_free(struct rows *rows)
{
	if (!rows)
		return;
	if (!rows->borrows_regions)
		region_union_free(rows->regions);
	free(rows->rows);
	free(rows->metrics);
	free(rows);
}

static size_t write_prefix(const struct rows *rows, const struct row *row, char *text, size_t size)
{
	size_t length = 0;

	if (!rows->options.merges_processes && rows->tree_count > 1)
		length += (size_t)snprintf(text + length, size - length, "|%0*u",
					   (int)rows->process_digits, row->process);
	if (!rows->options.merges_threads)
		length += (size_t)snprintf(text + length, size - length, "|%0*u",
					   (int)rows->thread_digits, row->thread);
	return length + (size_t)snprintf(text + length, size - length, ROW_PREFIX_END);
}

size_t row_label(const struct rows *rows, size_t index, size_t indent_max, char *text, size_t size)
{
	const struct row *row = &rows->rows[index];
	size_t length = write_prefix(rows, row, text, size);
	size_t indent = row->depth ? 2 * ((size_t)row->depth - 1) : 0;

	if (indent > indent_max)
		indent = indent_max;
	memset(text + length, ' ', indent);
	length += indent;
	length += (size_t)snprintf(text + length, size - length, "%s", row->depth ? "|_" : "");
	region_text(rows->regions->regions[row->region], text + length, size - length);
	return length + strlen(text + length);
}
