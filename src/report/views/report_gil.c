/* Python's GIL: what every thread had of it, and how long it stood in line.
 *
 * Exact where calls that take and drop it were recorded (series of the collector); else
 * estimated from samples, as of programs that are watched from outside.  Which lines held it
 * while others waited is always told from samples. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "model/findings/gil_threads.h"
#include "model/samples/sampled_gil.h"
#include "report/views/report_text.h"

static const struct table_column columns[] = {
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"THREAD", "thread", TABLE_ID, 0, 0, false},
	{"HELD", "held", TABLE_DURATION, 0, 0, false},
	{"% HELD", "held_percent", TABLE_PERCENT, 1, 0, false},
	{"WAITED", "waited", TABLE_DURATION, 0, 0, false},
	{"% WAITED", "waited_percent", TABLE_PERCENT, 1, 0, false},
	{"TAKEN", "taken", TABLE_COUNT, 0, 0, false},
	{"OF OTHERS", "handed_over", TABLE_COUNT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
};

static struct table_cell gil_number_cell(double value)
{
	return (struct table_cell){.is_missing = isnan(value), .number = value};
}

static struct table_cell count_cell(double value)
{
	return (struct table_cell){.is_missing = isnan(value),
				   .count = isnan(value) ? 0 : (uint64_t)value};
}

static struct table_cell gil_cell(void *context, size_t row, unsigned int column)
{
	const struct gil_threads *list = context;
	const struct gil_thread *entry = &list->threads[row];
	const char *name = entry->recording->threads[entry->thread].name;
	double lifecycle_s = gil_thread_lifetime_s(entry);

	switch (column) {
	case 0:
		return (struct table_cell){.count = entry->recording->header.pid};
	case 1:
		return (struct table_cell){.count = entry->thread};
	case 2:
		return gil_number_cell(entry->numbers[GIL_HELD]);
	case 3:
		return gil_number_cell(
			lifecycle_s > 0 ? 100 * entry->numbers[GIL_HELD] / lifecycle_s : 0);
	case 4:
		return gil_number_cell(entry->numbers[GIL_WAITED]);
	case 5:
		return gil_number_cell(
			lifecycle_s > 0 ? 100 * entry->numbers[GIL_WAITED] / lifecycle_s : 0);
	case 6:
		return count_cell(entry->numbers[GIL_TAKEN]);
	case 7:
		return count_cell(entry->numbers[GIL_CHANGES]);
	default:
		return (struct table_cell){.is_missing = !name, .text = name};
	}
}

static const struct table_column line_columns[] = {
	{"OTHERS LOST", "waited", TABLE_DURATION, 0, 0, false},
	{"HELD", "held", TABLE_DURATION, 0, 0, false},
	{"IN THE WAY", "blocking", TABLE_DURATION, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"FUNCTION", "function", TABLE_TEXT, 0, 0, false},
};

struct line_list {
	struct sampled_gil **owners; /* of the processes */
	size_t owner_count;
	const struct sampled_gil_line **lines;
	size_t count;
};

static struct table_cell gil_line_cell(void *context, size_t row, unsigned int column)
{
	const struct line_list *list = context;
	const struct sampled_gil_line *line = list->lines[row];

	switch (column) {
	case 0:
		return (struct table_cell){.number = line->waited_ns * 1e-9};
	case 1:
		return (struct table_cell){.number = line->held_ns * 1e-9};
	case 2:
		return (struct table_cell){.number = line->blocking_ns * 1e-9};
	case 3:
		return (struct table_cell){.is_missing = !line->line, .count = line->line};
	case 4:
		return (struct table_cell){.is_missing = !line->file, .text = line->file};
	default:
		return (struct table_cell){.text = line->function};
	}
}

static int by_loss(const void *left, const void *right)
{
	const struct sampled_gil_line *a = *(struct sampled_gil_line *const *)left,
				      *b = *(struct sampled_gil_line *const *)right;

	if (a->waited_ns != b->waited_ns)
		return a->waited_ns < b->waited_ns ? 1 : -1;
	return (a->held_ns < b->held_ns) - (a->held_ns > b->held_ns);
}

static bool gil_add_lines(struct line_list *list, const struct report *report, size_t tree)
{
	struct recording *recording = (struct recording *)report->loaded->trees[tree]->recording;
	const struct sampled_gil_line **grown;
	struct sampled_gil *gil;

	if (sampled_gil_new(recording, loaded_samples(report->loaded, tree),
			    &report->options.sampled, &gil) < 0)
		return false;
	list->owners[list->owner_count++] = gil;
	grown = realloc(list->lines, (list->count + gil->line_count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	list->lines = grown;
	for (size_t i = 0; i < gil->line_count; i++)
		if (gil->lines[i].blocking_ns > 0)
			grown[list->count++] = &gil->lines[i];
	return true;
}

static bool gil_collect_lines(struct line_list *list, const struct report *report)
{
	bool is_whole;

	list->owners = calloc(report->loaded->tree_count + 1, sizeof(struct sampled_gil *));
	is_whole = list->owners != NULL;
	for (size_t i = 0; i < report->loaded->tree_count && is_whole; i++)
		if (loaded_samples(report->loaded, i))
			is_whole = gil_add_lines(list, report, i);
	if (is_whole && list->count > 0)
		qsort(list->lines, list->count, sizeof(*list->lines), by_loss);
	return is_whole;
}

static void release_lines(struct line_list *list)
{
	for (size_t i = 0; i < list->owner_count; i++)
		sampled_gil_free(list->owners[i]);
	free(list->owners);
	free(list->lines);
}

static void gil_write(const struct report *report, struct gil_threads *list,
		      struct line_list *lines)
{
	struct table threads = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
		.row_count = list->count,
		.context = list,
		.cell = gil_cell,
	};
	struct table held = {
		.columns = line_columns,
		.column_count = sizeof(line_columns) / sizeof(*line_columns),
		.row_count = report_row_count(report, lines->count),
		.context = lines,
		.cell = gil_line_cell,
	};
	const struct report_table tables[] = {
		{&threads, "gil", ""},
		{&held, "lines", "lines that held it while others waited:"},
	};
	bool has_lines = lines->count > 0 || report->options.form == REPORT_JSON;

	report_write_tables(report, tables, has_lines ? 2 : 1, true);
	if (list->count == 0)
		report_write_remark(report, "(nobody was seen to hold a GIL; 'kymo sample' and "
					    "'kymo run --gil' record it)");
	report_remark_rest(report, lines->count, "line");
}

enum kymo_status report_gil(const struct report *report, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	struct line_list lines = {0};
	struct gil_threads list;

	if (gil_threads_init(&list, report->loaded) && gil_collect_lines(&lines, report))
		gil_write(report, &list, &lines);
	else
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	release_lines(&lines);
	gil_threads_release(&list);
	return status;
}
