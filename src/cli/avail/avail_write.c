/* Lists of `kymo avail` as text tables, Markdown and CSV. Highlighting marks matches in the
 * finished lines, independently of the tables. */
#include "cli/avail/avail_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/textbuf.h"
#include "cli/avail/avail_list.h"
#include "report/tables/table.h"
#include "report/tables/table_boxed.h"
#include "report/tables/table_plain.h"
#include "text/cells.h"
#include "text/csv_text.h"

#define MARK_BEGIN "\033[1;31m"
#define MARK_END   "\033[0m"
#define WIDTH_MIN  12u

/* The shown columns of a list.  Cells wider than their column continue in further lines, so a row
 * of the list is one or several lines of the table. */
struct view {
	const struct avail_list *list;
	struct table_column columns[AVAIL_COLUMNS_MAX]; /* those of the list, for their roles */
	size_t limits[AVAIL_COLUMNS_MAX]; /* columns a line of a cell may take, 0 = any */
	struct table table;
	struct table_shown shown;
	size_t *line_rows;    /* per line of the table: the row it belongs to */
	struct textbuf piece; /* the cell returned last */
};

/* Bytes of text that fit a line of limit columns: up to the last blank or comma. */
static size_t line_length(const char *text, size_t limit)
{
	size_t fitting, length;

	if (limit == 0 || cells_of(text) <= limit)
		return strlen(text);
	fitting = cells_line(text, limit);
	for (length = fitting; length > 0; length--)
		if (text[length] == ' ' || text[length - 1] == ',')
			return length;
	return fitting;
}

/* The line of this number of text; NULL when text has fewer. */
static const char *write_line_of(const char *text, size_t limit, size_t number, size_t *length_out)
{
	*length_out = line_length(text, limit);
	while (number-- > 0) {
		text += *length_out;
		text += strspn(text, " ");
		if (*text == '\0')
			return NULL;
		*length_out = line_length(text, limit);
	}
	return text;
}

/* The text of the list's row under a column of the table. */
static const char *view_text(const struct view *view, size_t row, const struct table_column *column)
{
	return view->list->rows[row].cells[column - view->columns];
}

static size_t view_limit(const struct view *view, const struct table_column *column)
{
	return view->limits[column - view->columns];
}

/* A row of the table is the index of one of the list. */
static struct table_cell view_line(const struct table_item *item)
{
	struct view *view = item->view;
	const size_t *line = item->row;
	size_t number = 0, length;
	const char *text;

	while (line - number > view->line_rows && line[-(ptrdiff_t)number - 1] == *line)
		number++;
	text = write_line_of(view_text(view, *line, item->column), view_limit(view, item->column),
			     number, &length);
	textbuf_clear(&view->piece);
	textbuf_bytes(&view->piece, text, text != NULL ? length : 0);
	return table_text(view->piece.data != NULL ? view->piece.data : "");
}

static size_t row_lines(const struct view *view, size_t row)
{
	size_t lines = 1, length;

	for (unsigned int i = 0; i < view->shown.count; i++)
		while (write_line_of(view_text(view, row, view->shown.columns[i]),
				     view_limit(view, view->shown.columns[i]), lines,
				     &length) != NULL)
			lines++;
	return lines;
}

/* Number the lines, once the limits are known; false when out of memory. */
static bool view_layout(struct view *view)
{
	size_t capacity = 0, count = 0, *grown;

	for (size_t row = 0; row < view->list->row_count; row++) {
		for (size_t lines = row_lines(view, row); lines > 0; lines--) {
			grown = array_grow(view->line_rows, &capacity, count + 1, sizeof(*grown));
			if (grown == NULL)
				return false;
			view->line_rows = grown;
			grown[count++] = row;
		}
	}
	table_set_rows(&view->table, view->line_rows, count);
	return true;
}

static void view_init(struct view *view, const struct avail_list *list, unsigned int roles)
{
	*view = (struct view){.list = list};
	for (unsigned int i = 0; i < list->column_count; i++)
		view->columns[i] = (struct table_column){
			list->columns[i].heading,    list->columns[i].heading, TABLE_TEXT,
			1u << list->columns[i].role, .get = view_line,
		};
	view->table = (struct table){
		.columns = view->columns,
		.column_count = list->column_count,
		.audience = roles,
		.view = view,
	};
	table_show(&view->table, &view->shown);
}

static size_t column_width(const struct view *view, const struct table_column *column)
{
	size_t width = cells_of(column->heading), cells;

	for (size_t row = 0; row < view->list->row_count; row++) {
		cells = cells_of(view_text(view, row, column));
		if (cells > width)
			width = cells;
	}
	return width;
}

/* Limit the cells to width columns, except names. */
static void limit_columns(struct view *view, size_t width)
{
	for (unsigned int column = 0; column < view->list->column_count; column++)
		if (view->list->columns[column].role != AVAIL_NAME)
			view->limits[column] = width;
}

/* Limit the cells only as far as needed for lines of at most total columns. */
static void fit_columns(struct view *view, size_t total)
{
	size_t widths[TABLE_COLUMNS_MAX], limit, sum, own;
	unsigned int column;

	for (column = 0; column < view->shown.count; column++)
		widths[column] = column_width(view, view->shown.columns[column]);
	for (limit = total; limit >= WIDTH_MIN; limit--) {
		limit_columns(view, limit);
		sum = 1;
		for (column = 0; column < view->shown.count; column++) {
			own = view_limit(view, view->shown.columns[column]);
			sum += 3 + (own > 0 && own < widths[column] ? own : widths[column]);
		}
		if (sum <= total)
			return;
	}
}

static bool avail_write_text(const struct avail_list *list, const struct avail_form *form,
			     FILE *out)
{
	struct view view;
	bool is_laid_out;

	view_init(&view, list, form->roles);
	if (form->column_width > 0)
		limit_columns(&view, form->column_width);
	else if (form->total_width > 0 && !form->is_markdown)
		fit_columns(&view, form->total_width);
	is_laid_out = view_layout(&view);
	if (is_laid_out && form->is_markdown) {
		fprintf(out, "## %s\n\n", list->title);
		table_write_markdown(&view.table, out);
	} else if (is_laid_out) {
		table_write_boxed(&view.table, list->title, 0, out);
	}
	free(view.line_rows);
	textbuf_release(&view.piece);
	return is_laid_out;
}

static void write_csv_cell(const char *cell, const char *separator, FILE *out)
{
	csv_write_text(cell, separator, out);
	fputs(separator, out);
}

/* Every line ends in a separator, as the tools that read this format expect. */
static void write_csv(const struct avail_list *list, const char *separator, FILE *out)
{
	for (unsigned int column = 0; column < list->column_count; column++)
		if (!list->columns[column].is_extra)
			write_csv_cell(list->columns[column].heading, separator, out);
	putc('\n', out);
	for (size_t row = 0; row < list->row_count; row++) {
		for (unsigned int column = 0; column < list->column_count; column++)
			if (!list->columns[column].is_extra)
				write_csv_cell(list->rows[row].cells[column], separator, out);
		putc('\n', out);
	}
}

/* The leftmost match of any including pattern in text that is not empty; its length is 0 if there
 * is none. */
static regmatch_t write_find_match(const struct avail_patterns *patterns, const char *text,
				   bool is_line_start)
{
	regmatch_t first = {0}, match;

	for (size_t i = 0; i < patterns->count; i++) {
		if (patterns->excludes[i] ||
		    regexec(&patterns->expressions[i], text, 1, &match,
			    is_line_start ? 0 : REG_NOTBOL) != 0 ||
		    match.rm_eo == match.rm_so)
			continue;
		if (first.rm_eo == 0 || match.rm_so < first.rm_so)
			first = match;
	}
	return first;
}

static void write_marked(const struct avail_patterns *patterns, const char *line, FILE *out)
{
	bool is_line_start = true;
	regmatch_t match;

	while ((match = write_find_match(patterns, line, is_line_start)).rm_eo > 0) {
		fwrite(line, 1, (size_t)match.rm_so, out);
		fputs(MARK_BEGIN, out);
		fwrite(line + match.rm_so, 1, (size_t)(match.rm_eo - match.rm_so), out);
		fputs(MARK_END, out);
		line += match.rm_eo;
		is_line_start = false;
	}
	fputs(line, out);
	putc('\n', out);
}

static enum kymo_status write_highlighted(const struct avail_list *list,
					  const struct avail_form *form, FILE *out,
					  struct problem *problem)
{
	char *text = NULL, *line, *end;
	bool is_written;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (memory == NULL)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	is_written = avail_write_text(list, form, memory);
	if (fclose(memory) != 0 || !is_written) {
		free(text);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		write_marked(form->highlights, line, out);
	}
	free(text);
	return KYMO_OK;
}

enum kymo_status avail_list_write(const struct avail_list *list, const struct avail_form *form,
				  FILE *out, struct problem *problem)
{
	if (list->has_failed)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (form->is_csv) {
		write_csv(list, form->separator, out);
		return KYMO_OK;
	}
	if (form->highlights != NULL && form->highlights->count > 0)
		return write_highlighted(list, form, out, problem);
	if (!avail_write_text(list, form, out))
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	return KYMO_OK;
}
