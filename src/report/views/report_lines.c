/* The lines of sources that samples met: where the time goes inside of the functions. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "model/profile/name_filter.h"
#include "report/views/report_text.h"

static const struct table_column people_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"95 % SURE", "self_interval", TABLE_TEXT, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"PYTHON", "python", TABLE_DURATION, 0, 0, false},
	{"NATIVE", "native", TABLE_DURATION, 0, 0, false},
	{"KERNEL", "kernel", TABLE_DURATION, 0, 0, false},
	{"WAITS", "waiting", TABLE_DURATION, 0, 0, false},
	{"LINE", "place", TABLE_TEXT, 0, 0, false},
};

static const struct table_column program_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"LOW", "self_low_percent", TABLE_PERCENT, 1, 0, false},
	{"HIGH", "self_high_percent", TABLE_PERCENT, 1, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"PYTHON", "python", TABLE_DURATION, 0, 0, false},
	{"NATIVE", "native", TABLE_DURATION, 0, 0, false},
	{"KERNEL", "kernel", TABLE_DURATION, 0, 0, false},
	{"WAITS", "waiting", TABLE_DURATION, 0, 0, false},
	{"SAMPLES", "samples", TABLE_COUNT, 0, 0, false},
	{"LANGUAGE", "language", TABLE_TEXT, 0, 0, false},
	{"FUNCTION", "function", TABLE_TEXT, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct line_list { /* of all processes */
	struct sampled_lines **owners;
	size_t owner_count;
	struct sampled_line *lines; /* those of Python first */
	size_t count, python_count;
	size_t first; /* of those that are written */
	double total_ns, squares;
	struct report own; /* with the number of samples that count */
	struct report_interval interval;
	char text[REPORT_NAME_MAX];
};

static struct table_cell lines_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text, .text = text};
}

static struct table_cell lines_time_cell(double ns)
{
	return (struct table_cell){.number = ns * 1e-9};
}

/* "file.py:12 function" */
static struct table_cell lines_place_cell(struct line_list *list, const struct sampled_line *line)
{
	const char *file = path_base_name(line->file);

	if (file && line->line)
		snprintf(list->text, sizeof(list->text), "%s:%u  %s", file, line->line,
			 line->function);
	else
		snprintf(list->text, sizeof(list->text), "%s", line->function);
	return lines_text_cell(list->text);
}

static struct table_cell lines_people_cell(void *context, size_t row, unsigned int column)
{
	struct line_list *list = context;
	const struct sampled_line *line = &list->lines[list->first + row];

	switch (column) {
	case 0:
		return table_percent(line->self_ns, list->total_ns);
	case 1:
		report_interval(&list->own, line->self_ns, list->total_ns, &list->interval);
		return lines_text_cell(list->interval.text);
	case 2:
		return table_percent(line->total_ns, list->total_ns);
	case 3:
		return lines_time_cell(line->python_ns);
	case 4:
		return lines_time_cell(line->native_ns);
	case 5:
		return lines_time_cell(line->kernel_ns);
	case 6:
		return lines_time_cell(line->wait_ns);
	default:
		return lines_place_cell(list, line);
	}
}

static struct table_cell lines_program_cell(void *context, size_t row, unsigned int column)
{
	struct line_list *list = context;
	const struct sampled_line *line = &list->lines[list->first + row];

	report_interval(&list->own, line->self_ns, list->total_ns, &list->interval);
	switch (column) {
	case 0:
		return table_percent(line->self_ns, list->total_ns);
	case 1:
		return table_percent(list->interval.share.low, 1);
	case 2:
		return table_percent(list->interval.share.high, 1);
	case 3:
		return table_percent(line->total_ns, list->total_ns);
	case 4:
		return lines_time_cell(line->self_ns);
	case 5:
		return lines_time_cell(line->total_ns);
	case 6:
		return lines_time_cell(line->python_ns);
	case 7:
		return lines_time_cell(line->native_ns);
	case 8:
		return lines_time_cell(line->kernel_ns);
	case 9:
		return lines_time_cell(line->wait_ns);
	case 10:
		return (struct table_cell){.count = line->count};
	case 11:
		return lines_text_cell(line->is_python ? "python" : "native");
	case 12:
		return lines_text_cell(line->function);
	case 13:
		return lines_text_cell(line->file);
	default:
		return (struct table_cell){.is_missing = !line->line, .count = line->line};
	}
}

static int lines_by_place(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->function, b->function);
}

static int lines_by_self(const void *left, const void *right)
{
	const struct sampled_line *a = left, *b = right;

	if (a->is_python != b->is_python)
		return a->is_python ? -1 : 1;
	if (a->self_ns != b->self_ns)
		return a->self_ns < b->self_ns ? 1 : -1;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return lines_by_place(left, right);
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
	if (kept > 0)
		qsort(list->lines, kept, sizeof(*list->lines), lines_by_self);
}

static bool report_lines_add(struct line_list *list, struct sampled_lines *lines)
{
	struct sampled_line *grown;

	list->owners[list->owner_count++] = lines;
	list->total_ns += lines->total_ns;
	if (lines->effective_count > 0)
		list->squares += lines->total_ns * lines->total_ns / lines->effective_count;
	grown = realloc(list->lines, (list->count + lines->count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	list->lines = grown;
	if (lines->count > 0)
		memcpy(grown + list->count, lines->lines, lines->count * sizeof(*grown));
	list->count += lines->count;
	return true;
}

static enum kymo_status lines_collect(const struct report *report, struct line_list *list)
{
	const struct loaded_run *loaded = report->loaded;

	list->owners = calloc(loaded->tree_count + 1, sizeof(struct sampled_lines *));
	if (!list->owners)
		return KYMO_MEMORY;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;
		struct sampled_lines *lines;
		enum kymo_status status;

		if (!loaded_samples(loaded, i))
			continue;
		status = sampled_lines_new(recording, loaded_samples(loaded, i),
					   &report->options.sampled, &lines);
		if (status < 0)
			return status;
		if (!report_lines_add(list, lines))
			return KYMO_MEMORY;
	}
	merge_equal(list);
	return KYMO_OK;
}

static void keep_matching(struct line_list *list, const struct name_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct region region = {.name = list->lines[i].function,
					      .file = list->lines[i].file};

		if (name_filter_accepts(filter, &region))
			list->lines[kept++] = list->lines[i];
	}
	list->count = kept;
	while (list->python_count < kept && list->lines[list->python_count].is_python)
		list->python_count++;
}

static void lines_release(struct line_list *list)
{
	for (size_t i = 0; i < list->owner_count; i++)
		sampled_lines_free(list->owners[i]);
	free(list->owners);
	free(list->lines);
}

/* A line of Python has the time of the native code that it calls, too, so the lines of both
 * are not of one sum: people get two tables. */
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
	list->first = list->python_count;
	table->row_count = report_row_count(report, native_count);
	report_write_table(report, table, "lines", false);
	report_remark_rest(report, native_count, "line");
}

enum kymo_status report_lines(const struct report *report, struct problem *problem)
{
	bool is_for_people = report_form_is_for_people(report->options.form);
	struct line_list list = {.own = *report};
	struct table table = {
		.columns = is_for_people ? people_columns : program_columns,
		.column_count =
			is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.context = &list,
		.cell = is_for_people ? lines_people_cell : lines_program_cell,
	};
	struct name_filter filter;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	status = lines_collect(report, &list);
	if (status == KYMO_OK) {
		keep_matching(&list, &filter);
		list.own.effective_count =
			list.squares > 0 ? list.total_ns * list.total_ns / list.squares : 0;
		write_tables(report, &list, &table);
	} else {
		problem_set(problem, status, "out of memory");
	}
	lines_release(&list);
	name_filter_release(&filter);
	return status;
}
