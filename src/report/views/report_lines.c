/* Source lines in samples: where the time goes inside of the functions. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "model/samples/sampled_lines.h"
#include "report/tables/table_sort.h"
#include "report/views/report_sampled.h"
#include "report/views/report_text.h"

struct line_list { /* of all processes */
	struct region_texts texts;
	struct sampled_lines **owners;
	size_t owner_count;
	struct sampled_line *lines; /* by location */
	size_t count, python_count;
	double total_ns, squares;
	struct report own; /* with the effective number of samples */
};

static struct report_interval lines_interval(const struct table_item *item)
{
	const struct line_list *list = item->view;
	struct report_interval interval;

	report_interval(&list->own, ((const struct sampled_line *)item->row)->self_ns,
			list->total_ns, &interval);
	return interval;
}

static struct table_cell lines_sure(const struct table_item *item)
{
	struct line_list *list = item->view;
	struct report_interval interval = lines_interval(item);

	memcpy(list->texts.text, interval.text, sizeof(interval.text));
	return table_text(list->texts.text);
}

static struct table_cell lines_low(const struct table_item *item)
{
	return table_percent(lines_interval(item).share.low, 1);
}

static struct table_cell lines_high(const struct table_item *item)
{
	return table_percent(lines_interval(item).share.high, 1);
}

/* The member as a part of all time. */
static struct table_cell lines_percent(const struct table_item *item)
{
	const struct line_list *list = item->view;
	const double *part = table_member(item);

	return table_percent(*part, list->total_ns);
}

static struct table_cell lines_language(const struct table_item *item)
{
	return table_text(((const struct sampled_line *)item->row)->is_python ? "python"
									      : "native");
}

/* "file.py:12  function" */
static struct table_cell lines_place(const struct table_item *item)
{
	struct line_list *list = item->view;
	const struct sampled_line *line = item->row;
	const char *file = path_base_name(line->file);

	if (file && line->line)
		snprintf(list->texts.text, REPORT_NAME_MAX, "%s:%u  %s", file, line->line,
			 line->function);
	else
		snprintf(list->texts.text, REPORT_NAME_MAX, "%s", line->function);
	return table_text(list->texts.text);
}

static struct table_cell lines_is_native(const struct table_item *item)
{
	return (struct table_cell){.count = !((const struct sampled_line *)item->row)->is_python};
}

#define LINES_FIELD(member)   TABLE_FIELD(struct sampled_line, member)
#define LINES_PERCENT(member) TABLE_MEMBER(lines_percent, struct sampled_line, member)

static const struct table_column columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, TABLE_ALL, LINES_PERCENT(self_ns)},
	{"95 % SURE", "self_interval", TABLE_TEXT, TABLE_PEOPLE, .get = lines_sure},
	{"LOW", "self_low_percent", TABLE_PERCENT, TABLE_PROGRAMS, .get = lines_low},
	{"HIGH", "self_high_percent", TABLE_PERCENT, TABLE_PROGRAMS, .get = lines_high},
	{"% TOTAL", "total_percent", TABLE_PERCENT, TABLE_ALL, LINES_PERCENT(total_ns)},
	{"SELF", "self", TABLE_DURATION, TABLE_PROGRAMS, LINES_FIELD(self_ns)},
	{"TOTAL", "total", TABLE_DURATION, TABLE_PROGRAMS, LINES_FIELD(total_ns)},
	{"PYTHON", "python", TABLE_DURATION, TABLE_ALL, LINES_FIELD(python_ns)},
	{"NATIVE", "native", TABLE_DURATION, TABLE_ALL, LINES_FIELD(native_ns)},
	{"KERNEL", "kernel", TABLE_DURATION, TABLE_ALL, LINES_FIELD(kernel_ns)},
	{"WAITS", "waiting", TABLE_DURATION, TABLE_ALL, LINES_FIELD(wait_ns)},
	{"SAMPLES", "samples", TABLE_COUNT, TABLE_PROGRAMS, LINES_FIELD(count)},
	{"LANGUAGE", "language", TABLE_TEXT, TABLE_PROGRAMS, .get = lines_language},
	{"FUNCTION", "function", TABLE_TEXT, TABLE_PROGRAMS, LINES_FIELD(function)},
	{"FILE", "file", TABLE_TEXT, TABLE_PROGRAMS, LINES_FIELD(file)},
	{"LINE", "place", TABLE_TEXT, TABLE_PEOPLE, .get = lines_place},
	{"LINE", "line", TABLE_ID, TABLE_PROGRAMS,
	 TABLE_MEMBER(table_get_line, struct sampled_line, line)},
	{"", "is_native", TABLE_ID, TABLE_HIDDEN, .get = lines_is_native},
};

/* Ties stay sorted by location. */
static const char *const lines_order[] = {"is_native", "self", "total", NULL};

static int lines_by_place(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->function, b->function);
}

static void merge_equal(struct line_list *list)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->lines, list->count, sizeof(*list->lines), lines_by_place);
	for (size_t i = 0; i < list->count; i++) {
		if (kept > 0 && lines_by_place(&list->lines[kept - 1], &list->lines[i]) == 0)
			sampled_line_add(&list->lines[kept - 1], &list->lines[i]);
		else
			list->lines[kept++] = list->lines[i];
	}
	list->count = kept;
}

static void report_lines_add(struct line_list *list, struct sampled_lines *lines)
{
	list->owners[list->owner_count++] = lines;
	list->total_ns += lines->total_ns;
	if (lines->effective_count > 0)
		list->squares += lines->total_ns * lines->total_ns / lines->effective_count;
	list->lines =
		xreallocarray(list->lines, list->count + lines->count + 1, sizeof(*list->lines));
	if (lines->count > 0)
		memcpy(list->lines + list->count, lines->lines,
		       lines->count * sizeof(*list->lines));
	list->count += lines->count;
}

static void lines_collect(const struct report *report, struct line_list *list)
{
	const struct loaded_run *loaded = report->loaded;

	list->owners = xcalloc(loaded->tree_count + 1, sizeof(struct sampled_lines *));
	for (size_t i = 0; i < loaded->tree_count; i++) {
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;
		struct sampled_lines *lines;

		if (!loaded_samples(loaded, i))
			continue;
		xneed(sampled_lines_new(recording, loaded_samples(loaded, i),
					&report->options.sampled, &lines) == KYMO_OK);
		report_lines_add(list, lines);
	}
	merge_equal(list);
}

static void keep_matching(struct line_list *list, const struct name_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct region region = {.name = list->lines[i].function,
					      .file = list->lines[i].file};

		if (!name_filter_accepts(filter, &region))
			continue;
		list->python_count += list->lines[i].is_python;
		list->lines[kept++] = list->lines[i];
	}
	list->count = kept;
}

static void lines_release(struct line_list *list)
{
	for (size_t i = 0; i < list->owner_count; i++)
		sampled_lines_free(list->owners[i]);
}

/* A line of Python includes the time of the native code that it calls, so the lines of both do not
 * add up: people get two tables. */
static void write_tables(const struct report *report, struct line_list *list, struct table *table)
{
	size_t native_count = list->count - list->python_count;
	bool is_text = report->options.form == REPORT_TEXT;

	if (!is_text || list->python_count == 0 || native_count == 0) {
		table->row_count = report_row_count(report, list->count);
		report_write_table(report, table, "lines", true);
		report_remark_empty(report, list->count, 0, "line");
		report_remark_rest(report, list->count, "line");
		return;
	}
	table->row_count = report_row_count(report, list->python_count);
	report_write_table(report, table, "lines", true);
	report_remark_rest(report, list->python_count, "line");
	report_write_remark(report, "\nlines of native code:");
	table->order += list->python_count;
	table->row_count = report_row_count(report, native_count);
	report_write_table(report, table, "lines", false);
	report_remark_rest(report, native_count, "line");
}

static void lines_write(const struct report *report, struct line_list *list)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->lines, list->count),
		.order = table_order_new(list->count),
		.view = list,
	};

	table_sort(&table, list->count, lines_order);
	write_tables(report, list, &table);
}

enum kymo_status report_lines(const struct report *report, struct problem *problem)
{
	struct line_list list = {.own = *report};
	struct name_filter filter;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	lines_collect(report, &list);
	keep_matching(&list, &filter);
	list.own.effective_count =
		list.squares > 0 ? list.total_ns * list.total_ns / list.squares : 0;
	lines_write(report, &list);
	lines_release(&list);
	name_filter_release(&filter);
	return KYMO_OK;
}
