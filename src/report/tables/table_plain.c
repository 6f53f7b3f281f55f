/* Tables for people: plain columns on a terminal, and markdown for pages. */
#include "report/tables/table_plain.h"

#include <stdlib.h>
#include <string.h>

#include "report/tables/table.h"
#include "report/tables/table_format.h"
#include "text/cells.h"

#define GAP	    2 /* blanks between columns */
#define TEXT_LEAST  12
#define CUT	    ".."
#define PLACE_LEAST 8 /* minimum width of a displayed file name and line */
#define DIM	    "\033[2m"
#define GREEN	    "\033[32m"
#define RED	    "\033[31m"
#define NORMAL	    "\033[0m"

struct plain {
	const struct table *table;
	struct table_shown shown;
	size_t widths[TABLE_COLUMNS_MAX];
};

static const char *plain_cell_text(const struct plain *plain, size_t row, unsigned int column,
				   char buffer[TABLE_CELL_MAX])
{
	const struct table_column *of = plain->shown.columns[column];
	struct table_cell cell = table_cell_of(plain->table, row, of);

	return table_format_plain(of, &cell, buffer);
}

static bool plain_is_text(const struct plain *plain, unsigned int column)
{
	return plain->shown.columns[column]->kind == TABLE_TEXT;
}

static void plain_measure(struct plain *plain)
{
	char buffer[TABLE_CELL_MAX];

	table_show(plain->table, &plain->shown);
	if (plain->shown.count == 0)
		abort();
	for (unsigned int column = 0; column < plain->shown.count; column++) {
		size_t *width = &plain->widths[column];

		*width = cells_of(plain->shown.columns[column]->heading);
		for (size_t row = 0; row < plain->table->row_count; row++) {
			size_t cells = cells_of(plain_cell_text(plain, row, column, buffer));

			if (*width < cells)
				*width = cells;
		}
	}
}

/* Reduce the widest text column repeatedly until the lines fit. */
static void plain_fit(struct plain *plain, unsigned int limit)
{
	size_t *widths = plain->widths, total = ((size_t)plain->shown.count - 1) * GAP;

	for (unsigned int column = 0; column < plain->shown.count; column++)
		total += widths[column];
	for (; limit && total > limit; total--) {
		unsigned int widest = plain->shown.count;

		for (unsigned int column = 0; column < plain->shown.count; column++) {
			if (plain_is_text(plain, column) && widths[column] > TEXT_LEAST &&
			    (widest == plain->shown.count || widths[column] > widths[widest]))
				widest = column;
		}
		if (widest == plain->shown.count)
			return;
		widths[widest]--;
	}
}

/* The kept parts of a text that is too wide: its first head bytes, and the part from tail on. */
struct cut {
	size_t head, tail;
};

/* Start of a path in text, whose end matters more than its start: all of the text, or after a name
 * and two blanks.  NULL = none. */
static const char *plain_path_in(const char *text)
{
	const char *path = NULL, *name = text + strspn(text, " ");

	if (*text == '/')
		return text;
	for (const char *gap = strstr(name, "  "); gap; gap = strstr(gap + 1, "  "))
		path = gap + 2;
	return path;
}

static struct cut cut_to(const char *text, size_t width)
{
	const char *path = plain_path_in(text);
	size_t available = width - strlen(CUT);
	size_t before = path ? cells_of_part(text, (size_t)(path - text)) : 0;

	if (path && before + PLACE_LEAST <= available)
		return (struct cut){(size_t)(path - text),
				    (size_t)(path - text) + cells_skip(path, available - before)};
	return (struct cut){cells_cut(text, available), strlen(text)};
}

static void plain_write_cell(const char *text, size_t width, bool is_left, bool is_last, FILE *out)
{
	size_t cells = cells_of(text);
	struct cut cut = {strlen(text), strlen(text)};
	bool is_cut = cells > width;

	if (is_cut) {
		cut = cut_to(text, width);
		cells = cells_of_part(text, cut.head) + strlen(CUT) + cells_of(text + cut.tail);
	}
	if (!is_left)
		fprintf(out, "%*s", (int)(width - cells), "");
	fwrite(text, 1, cut.head, out);
	fputs(is_cut ? CUT : "", out);
	fputs(text + cut.tail, out);
	if (is_left && !is_last)
		fprintf(out, "%*s", (int)(width - cells), "");
	fprintf(out, "%*s", is_last ? 0 : GAP, "");
}

static const char *tone_of(const struct table *table, size_t row)
{
	static const char *const sequences[] = {"", GREEN, RED};

	return table->tone ? sequences[table->tone(table->view, table_row(table, row))] : "";
}

void table_write_plain(const struct table *table, unsigned int width, bool has_colour, FILE *out)
{
	struct plain plain = {.table = table};
	char buffer[TABLE_CELL_MAX];
	unsigned int last;

	plain_measure(&plain);
	plain_fit(&plain, width);
	last = plain.shown.count - 1;
	fputs(has_colour ? DIM : "", out);
	for (unsigned int column = 0; column <= last; column++)
		plain_write_cell(plain.shown.columns[column]->heading, plain.widths[column],
				 plain_is_text(&plain, column), column == last, out);
	fprintf(out, "%s\n", has_colour ? NORMAL : "");
	for (size_t row = 0; row < table->row_count; row++) {
		const char *tone = has_colour ? tone_of(table, row) : "";

		fputs(tone, out);
		for (unsigned int column = 0; column <= last; column++)
			plain_write_cell(plain_cell_text(&plain, row, column, buffer),
					 plain.widths[column], plain_is_text(&plain, column),
					 column == last, out);
		fprintf(out, "%s\n", *tone ? NORMAL : "");
	}
}

/* A name must not end a cell, nor be read as emphasis. */
static void plain_write_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

void table_write_markdown(const struct table *table, FILE *out)
{
	struct plain plain = {.table = table};
	char buffer[TABLE_CELL_MAX];

	table_show(table, &plain.shown);
	for (unsigned int column = 0; column < plain.shown.count; column++)
		fprintf(out, "| %s ", plain.shown.columns[column]->heading);
	fputs("|\n", out);
	for (unsigned int column = 0; column < plain.shown.count; column++)
		fputs(plain_is_text(&plain, column) ? "|:---" : "|---:", out);
	fputs("|\n", out);
	for (size_t row = 0; row < table->row_count; row++) {
		for (unsigned int column = 0; column < plain.shown.count; column++) {
			fputs("| ", out);
			plain_write_escaped(plain_cell_text(&plain, row, column, buffer), out);
			putc(' ', out);
		}
		fputs("|\n", out);
	}
}
