/* Common code of the views of a report: the forms of a table, and remarks below it. */
#include "report/views/report_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_facts.h"
#include "report/report_facts_json.h"
#include "report/tables/table_csv.h"
#include "report/tables/table_json.h"
#include "report/tables/table_plain.h"
#include "report/tables/table_sort.h"
#include "text/json_writer.h"
#include "text/wrapped.h"

static void text_write_json(const struct report *report, const struct report_table *tables,
			    size_t count, bool has_facts)
{
	struct json_writer json = {.out = report->out};

	json_begin_object(&json);
	if (has_facts)
		report_write_facts_json(report, &json);
	for (size_t i = 0; i < count; i++) {
		json_key(&json, tables[i].key);
		table_write_json(tables[i].table, &json);
	}
	json_end_object(&json);
	putc('\n', report->out);
}

static void write_plain(const struct report *report, const struct report_table *tables,
			size_t count, bool has_facts)
{
	if (has_facts) {
		report_write_facts(report);
		putc('\n', report->out);
	}
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			fprintf(report->out, "\n%s\n", tables[i].title);
		table_write_plain(tables[i].table, report->options.table_width,
				  report->options.has_colour, report->out);
	}
}

#define TABLES_MAX 4

/* Calls in a profile are samples if those are shown. */
static void name_counts(const struct report *report, const struct table *table,
			struct table_column columns[TABLE_COLUMNS_MAX])
{
	if (table->column_count > TABLE_COLUMNS_MAX)
		abort();
	for (unsigned int i = 0; i < table->column_count; i++) {
		columns[i] = table->columns[i];
		if (!report->loaded->is_sampled || strcmp(columns[i].key, "calls") != 0)
			continue;
		columns[i].heading = "SAMPLES";
		columns[i].key = "samples";
	}
}

void report_write_tables(const struct report *report, const struct report_table *tables,
			 size_t count, bool has_facts)
{
	unsigned int audience =
		report_form_is_for_people(report->options.form) ? TABLE_PEOPLE : TABLE_PROGRAMS;
	struct table_column columns[TABLES_MAX][TABLE_COLUMNS_MAX];
	struct report_table named[TABLES_MAX];
	struct table copies[TABLES_MAX];

	if (count > TABLES_MAX)
		abort();
	for (size_t i = 0; i < count; i++) {
		name_counts(report, tables[i].table, columns[i]);
		copies[i] = *tables[i].table;
		copies[i].columns = columns[i];
		if (!(copies[i].audience & TABLE_WHO))
			copies[i].audience |= audience;
		named[i] = (struct report_table){&copies[i], tables[i].key, tables[i].title};
	}
	if (report->options.form == REPORT_JSON)
		text_write_json(report, named, count, has_facts);
	else if (report->options.form == REPORT_TEXT)
		write_plain(report, named, count, has_facts);
	for (size_t i = 0; i < count; i++) {
		if (report->options.form == REPORT_CSV) {
			fputs(i > 0 ? "\n" : "", report->out);
			table_write_csv(named[i].table, report->out);
		} else if (report->options.form == REPORT_MARKDOWN) {
			if (i > 0)
				fprintf(report->out, "\n%s\n\n", named[i].title);
			table_write_markdown(named[i].table, report->out);
		}
	}
}

void report_write_table(const struct report *report, const struct table *table,
			const char *rows_key, bool has_facts)
{
	report_write_tables(report, &(struct report_table){table, rows_key, ""}, 1, has_facts);
}

void report_write_ordered(const struct report *report, struct table *table, const char *const *keys,
			  size_t rest_count, const char *rows_key)
{
	size_t count = table->row_count;

	table->order = table_order_new(count);
	table_sort(table, count, keys);
	table_keep(table, count, (size_t)report->options.top, rest_count);
	report_write_table(report, table, rows_key, true);
}

void report_write_remark(const struct report *report, const char *format, ...)
{
	char text[2 * REPORT_NAME_MAX + 256];
	size_t newlines = strspn(format, "\n");
	va_list arguments;

	if (report->options.form != REPORT_TEXT)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fwrite(format, 1, newlines, report->out);
	wrapped_write(text + newlines, 0, report->options.width, report->out);
}

size_t report_row_count(const struct report *report, size_t count)
{
	uint64_t top = report->options.top;

	return top && top < count ? (size_t)top : count;
}

void report_remark_rest(const struct report *report, size_t count, const char *noun)
{
	size_t rest = count - report_row_count(report, count);

	if (rest > 0)
		report_write_remark(report, "%zu more %s%s; --top 0 shows all", rest, noun,
				    rest == 1 ? "" : "s");
}

bool report_remark_empty(const struct report *report, size_t count, size_t rest_count,
			 const char *noun)
{
	const struct report_options *options = &report->options;
	const char *nothing =
		report->loaded->is_sampled ? "no samples were taken" : "no calls were recorded";

	if (options->filter && count == 0)
		report_write_remark(report, "(no %s matches the filter '%s')", noun,
				    options->filter);
	else if (options->filter || count > rest_count)
		return false;
	else if (options->thread != KYMO_NO_THREAD)
		report_write_remark(report, "(%s in thread %u)", nothing, options->thread);
	else
		report_write_remark(report, "(%s)", nothing);
	return true;
}

const char *report_order_key(enum view_order order)
{
	static const char *const keys[] = {
		[ORDER_TOTAL] = "total", [ORDER_SELF] = "self", [ORDER_CALLS] = "calls",
		[ORDER_NAME] = "name",	 [ORDER_MIN] = "min",	[ORDER_MAX] = "max",
		[ORDER_MEAN] = "mean",
	};

	return keys[order];
}
