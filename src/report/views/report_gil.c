/* Python's GIL: how long every thread held it, and how long it waited for it.
 *
 * Exact if the calls that take and drop it were recorded (series of the collector); else estimated
 * from samples, as for programs sampled from outside.  Which lines held it while others waited is
 * always estimated from samples. */
#include "report/report.h"

#include <math.h>

#include "command/xalloc.h"
#include "model/findings/gil_threads.h"
#include "model/samples/sampled_gil.h"
#include "report/tables/table_get.h"
#include "report/tables/table_sort.h"
#include "report/views/report_text.h"

static struct table_cell gil_pid(const struct table_item *item)
{
	const struct gil_thread *thread = item->row;

	return (struct table_cell){.count = thread->recording->header.pid};
}

static struct table_cell gil_name(const struct table_item *item)
{
	const struct gil_thread *thread = item->row;

	return table_text(thread->recording->threads[thread->thread].name);
}

/* The number that the column selects: seconds, a part of the thread's lifetime, or a count. */
static struct table_cell gil_number(const struct table_item *item)
{
	double value = *(const double *)table_member(item);

	return (struct table_cell){.is_missing = isnan(value),
				   .number = value,
				   .count = isnan(value) ? 0 : (uint64_t)value};
}

static struct table_cell gil_percent(const struct table_item *item)
{
	double lifetime_s = gil_thread_lifetime_s(item->row);
	double percent = lifetime_s > 0 ? 100 * gil_number(item).number / lifetime_s : 0;

	return (struct table_cell){.is_missing = isnan(percent), .number = percent};
}

#define GIL_NUMBER(getter, number) TABLE_MEMBER(getter, struct gil_thread, numbers[number])

static const struct table_column columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = gil_pid},
	{"THREAD", "thread", TABLE_ID, TABLE_ALL, TABLE_FIELD(struct gil_thread, thread)},
	{"HELD", "held", TABLE_DURATION, TABLE_ALL, GIL_NUMBER(gil_number, GIL_HELD)},
	{"% HELD", "held_percent", TABLE_PERCENT, TABLE_ALL, GIL_NUMBER(gil_percent, GIL_HELD)},
	{"WAITED", "waited", TABLE_DURATION, TABLE_ALL, GIL_NUMBER(gil_number, GIL_WAITED)},
	{"% WAITED", "waited_percent", TABLE_PERCENT, TABLE_ALL,
	 GIL_NUMBER(gil_percent, GIL_WAITED)},
	{"TAKEN", "taken", TABLE_COUNT, TABLE_ALL, GIL_NUMBER(gil_number, GIL_TAKEN)},
	{"OF OTHERS", "handed_over", TABLE_COUNT, TABLE_ALL, GIL_NUMBER(gil_number, GIL_CHANGES)},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = gil_name},
};

#define GIL_LINE(member) TABLE_FIELD(struct sampled_gil_line, member)

static const struct table_column line_columns[] = {
	{"OTHERS LOST", "waited", TABLE_DURATION, TABLE_ALL, GIL_LINE(waited_ns)},
	{"HELD", "held", TABLE_DURATION, TABLE_ALL, GIL_LINE(held_ns)},
	{"IN THE WAY", "blocking", TABLE_DURATION, TABLE_ALL, GIL_LINE(blocking_ns)},
	{"LINE", "line", TABLE_ID, TABLE_ALL,
	 TABLE_MEMBER(table_get_line, struct sampled_gil_line, line)},
	{"FILE", "file", TABLE_TEXT, TABLE_ALL, GIL_LINE(file)},
	{"FUNCTION", "function", TABLE_TEXT, TABLE_ALL, GIL_LINE(function)},
};

struct line_list {
	struct sampled_gil **owners; /* of the processes */
	size_t owner_count;
	struct sampled_gil_line *lines; /* while others waited */
	size_t count;
};

/* Those that others lost most by come first; the order is stable. */
static const char *const lines_order[] = {"waited", "held", NULL};

static void gil_add_lines(struct line_list *list, const struct report *report, size_t tree)
{
	struct recording *recording = (struct recording *)report->loaded->trees[tree]->recording;
	struct sampled_gil *gil;

	xneed(sampled_gil_new(recording, loaded_samples(report->loaded, tree),
			      &report->options.sampled, &gil) == KYMO_OK);
	list->owners[list->owner_count++] = gil;
	list->lines =
		xreallocarray(list->lines, list->count + gil->line_count + 1, sizeof(*list->lines));
	for (size_t i = 0; i < gil->line_count; i++)
		if (gil->lines[i].blocking_ns > 0)
			list->lines[list->count++] = gil->lines[i];
}

static void gil_collect_lines(struct line_list *list, const struct report *report)
{
	list->owners = xcalloc(report->loaded->tree_count + 1, sizeof(struct sampled_gil *));
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		if (loaded_samples(report->loaded, i))
			gil_add_lines(list, report, i);
}

static void release_lines(struct line_list *list)
{
	for (size_t i = 0; i < list->owner_count; i++)
		sampled_gil_free(list->owners[i]);
}

static void gil_write(const struct report *report, struct gil_threads *list,
		      struct line_list *lines)
{
	struct table threads = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->threads, list->count),
	};
	struct table held = {
		TABLE_COLUMNS(line_columns),
		TABLE_ROWS(lines->lines, report_row_count(report, lines->count)),
		.order = table_order_new(lines->count),
	};
	const struct report_table tables[] = {
		{&threads, "gil", ""},
		{&held, "lines", "lines that held it while others waited:"},
	};
	bool has_lines = lines->count > 0 || report->options.form == REPORT_JSON;

	table_sort(&held, lines->count, lines_order);
	report_write_tables(report, tables, has_lines ? 2 : 1, true);
	if (list->count == 0)
		report_write_remark(report, "(no thread was seen to hold a GIL; 'kymo sample' and "
					    "'kymo run --gil' record it)");
	report_remark_rest(report, lines->count, "line");
}

enum kymo_status report_gil(const struct report *report, struct problem *problem)
{
	struct line_list lines = {0};
	struct gil_threads list;

	(void)problem;
	xneed(gil_threads_init(&list, report->loaded));
	gil_collect_lines(&lines, report);
	gil_write(report, &list, &lines);
	release_lines(&lines);
	gil_threads_release(&list);
	return KYMO_OK;
}
