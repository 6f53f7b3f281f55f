/* The boxed table, as in timemory's text outputs.
 *
 * Two passes over the cells: widths first, then the lines.  Headings and the banner are centred by
 * the rules of those outputs, which round towards the left in their own way; tools compare such
 * tables line by line. */
#include "report/tables/table_boxed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/tables/table.h"
#include "report/tables/table_format.h"
#include "text/cells.h"

#define ELLIPSIS       "..."
#define ELLIPSIS_LIMIT 20 /* narrower texts are cut without one */

struct boxed {
	const struct table *table;
	struct table_shown shown;
	unsigned int text_limit;
	size_t widths[TABLE_COLUMNS_MAX]; /* of the cells, without the adjacent blanks */
	size_t interior;		  /* of a line, between the outer bars */
	FILE *out;
};

static void repeat(FILE *out, char character, size_t count)
{
	while (count--)
		putc(character, out);
}

static size_t cell_width(const struct boxed *boxed, unsigned int column, const char *text)
{
	bool is_text = boxed->shown.columns[column]->kind == TABLE_TEXT;
	size_t cells = cells_of(text);

	return is_text && boxed->text_limit && cells > boxed->text_limit ? boxed->text_limit
									 : cells;
}

static const char *boxed_cell_text(const struct boxed *boxed, size_t row, unsigned int column,
				   char buffer[TABLE_CELL_MAX])
{
	const struct table_column *of = boxed->shown.columns[column];
	struct table_cell cell = table_cell_of(boxed->table, row, of);

	return table_format_exact(of, &cell, buffer);
}

static void boxed_measure(struct boxed *boxed)
{
	char buffer[TABLE_CELL_MAX];

	boxed->interior = boxed->shown.count - 1;
	for (unsigned int column = 0; column < boxed->shown.count; column++) {
		int least = boxed->shown.columns[column]->width;
		size_t width = cells_of(boxed->shown.columns[column]->heading);

		if (least > 0 && width < (size_t)least)
			width = (size_t)least;
		for (size_t row = 0; row < boxed->table->row_count; row++) {
			const char *text = boxed_cell_text(boxed, row, column, buffer);
			size_t cells = cell_width(boxed, column, text);

			if (width < cells)
				width = cells;
		}
		boxed->widths[column] = width;
		boxed->interior += width + 2;
	}
}

/* A line of dashes; bars between the columns if there is a separator. */
static void write_rule(const struct boxed *boxed, char separator)
{
	putc('|', boxed->out);
	for (unsigned int column = 0; column < boxed->shown.count; column++) {
		if (column > 0)
			putc(separator, boxed->out);
		repeat(boxed->out, '-', boxed->widths[column] + 2);
	}
	fputs("|\n", boxed->out);
}

/* Also if the text is as wide as the line: rounding must not move it beyond the right end. */
static void write_banner_line(const struct boxed *boxed, const char *text, size_t length)
{
	size_t cells = cells_of_part(text, length);
	size_t available = cells < boxed->interior ? boxed->interior - cells : 0;
	size_t lead = (boxed->interior + 1) / 2 - cells / 2;

	if (lead > available)
		lead = available;
	putc('|', boxed->out);
	repeat(boxed->out, ' ', lead);
	for (size_t i = 0; i < length; i++)
		putc(toupper((unsigned char)text[i]), boxed->out);
	repeat(boxed->out, ' ', available - lead);
	fputs("|\n", boxed->out);
}

/* Bytes of text for the next line of a banner: as many words as fit, or a part of one. */
static size_t banner_length(const struct boxed *boxed, const char *text)
{
	size_t most = cells_line(text, boxed->interior), length = most;

	if (!text[most])
		return most;
	while (length > 0 && text[length] != ' ')
		length--;
	return length > 0 ? length : most;
}

static void write_banner(const struct boxed *boxed, const char *text)
{
	while (*text) {
		size_t length = banner_length(boxed, text);

		write_banner_line(boxed, text, length);
		text += length;
		text += strspn(text, " ");
	}
}

static void write_headings(const struct boxed *boxed)
{
	for (unsigned int column = 0; column < boxed->shown.count; column++) {
		const char *heading = boxed->shown.columns[column]->heading;
		long width = (long)boxed->widths[column], length = (long)cells_of(heading);
		long lead = width / 2 - (length + 1) / 2;

		if (lead > width - 2 - length)
			lead = width - 2 - length;
		if (lead < 0)
			lead = 0;
		fputs("| ", boxed->out);
		repeat(boxed->out, ' ', (size_t)lead);
		fputs(heading, boxed->out);
		repeat(boxed->out, ' ', (size_t)(width - lead - length + 1));
	}
	fputs("|\n", boxed->out);
}

static void boxed_write_text(const struct boxed *boxed, const char *text, size_t width)
{
	size_t cells = cells_of(text), length = strlen(text), limit = boxed->text_limit;
	const char *end = "";

	if (limit && cells > limit) {
		end = limit > ELLIPSIS_LIMIT ? ELLIPSIS : "";
		length = cells_cut(text, limit - strlen(end));
		cells = cells_of_part(text, length) + strlen(end);
	}
	fwrite(text, 1, length, boxed->out);
	fputs(end, boxed->out);
	repeat(boxed->out, ' ', width - cells);
}

static void boxed_write_number(const struct boxed *boxed, const char *text, size_t width)
{
	repeat(boxed->out, ' ', width - strlen(text));
	fputs(text, boxed->out);
}

static void write_row(const struct boxed *boxed, size_t row)
{
	char buffer[TABLE_CELL_MAX];

	for (unsigned int column = 0; column < boxed->shown.count; column++) {
		const char *text = boxed_cell_text(boxed, row, column, buffer);
		size_t width = boxed->widths[column];

		fputs("| ", boxed->out);
		if (boxed->shown.columns[column]->kind == TABLE_TEXT)
			boxed_write_text(boxed, text, width);
		else
			boxed_write_number(boxed, text, width);
		putc(' ', boxed->out);
	}
	fputs("|\n", boxed->out);
}

void table_write_boxed(const struct table *table, const char *banner, unsigned int text_limit,
		       FILE *out)
{
	struct boxed boxed = {.table = table, .text_limit = text_limit, .out = out};

	table_show(table, &boxed.shown);
	if (boxed.shown.count == 0)
		abort();
	boxed_measure(&boxed);
	write_rule(&boxed, '-');
	write_banner(&boxed, banner);
	write_rule(&boxed, '-');
	write_headings(&boxed);
	write_rule(&boxed, '|');
	for (size_t row = 0; row < table->row_count && !ferror(out); row++)
		write_row(&boxed, row);
	write_rule(&boxed, '-');
}
