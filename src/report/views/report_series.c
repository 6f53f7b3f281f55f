/* Numbers over time: one row per series. */
#include "report/report.h"

#include <regex.h>
#include <stdlib.h>

#include "command/xalloc.h"
#include "model/recording/series_stats.h"
#include "report/tables/table_get.h"
#include "report/views/report_text.h"

struct entry {
	const struct recording *recording;
	const struct series *series;
	struct series_stats stats;
};

struct list {
	struct entry *entries;
	size_t count, capacity;
};

static struct table_cell series_pid(const struct table_item *item)
{
	return (struct table_cell){
		.count = ((const struct entry *)item->row)->recording->header.pid};
}

static struct table_cell series_thread(const struct table_item *item)
{
	uint32_t thread = ((const struct entry *)item->row)->series->thread;

	return (struct table_cell){.is_missing = thread == KYMO_NO_THREAD, .count = thread};
}

static struct table_cell series_unit(const struct table_item *item)
{
	return table_text(((const struct entry *)item->row)->series->unit);
}

static struct table_cell series_name(const struct table_item *item)
{
	return table_text(((const struct entry *)item->row)->series->name);
}

#define SERIES_NUMBER(member)                                                                      \
	TABLE_NUMBER, TABLE_ALL, TABLE_FIELD(struct entry, stats.member), .precision = 3

static const struct table_column series_columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = series_pid},
	{"THREAD", "thread", TABLE_ID, TABLE_ALL, .get = series_thread},
	{"POINTS", "points", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct entry, stats.count)},
	{"MIN", "min", SERIES_NUMBER(min)},
	{"MEAN", "mean", SERIES_NUMBER(mean)},
	{"MAX", "max", SERIES_NUMBER(max)},
	{"LAST", "last", SERIES_NUMBER(last)},
	{"UNIT", "unit", TABLE_TEXT, TABLE_ALL, .get = series_unit},
	{"SERIES", "name", TABLE_TEXT, TABLE_ALL, .get = series_name},
};

static bool series_is_wanted(const struct report *report, const struct series *series,
			     const struct series_stats *stats, const regex_t *filter)
{
	if (stats->count == 0)
		return false;
	if (report->options.thread != KYMO_NO_THREAD && series->thread != report->options.thread)
		return false;
	return !filter || regexec(filter, series->name, 0, NULL, 0) == 0;
}

static void series_add_recording(struct list *list, const struct report *report,
				 const struct recording *recording, const regex_t *filter)
{
	struct series_stats *stats = series_stats_new(recording);

	xneed(stats != NULL);
	for (size_t i = 0; i < recording->series_count; i++) {
		if (!series_is_wanted(report, &recording->series[i], &stats[i], filter))
			continue;
		list->entries = xgrow(list->entries, &list->capacity, list->count + 1,
				      sizeof(*list->entries));
		list->entries[list->count++] =
			(struct entry){recording, &recording->series[i], stats[i]};
	}
	free(stats);
}

static void series_write(const struct report *report, const regex_t *filter)
{
	struct list list = {0};
	struct table table = {TABLE_COLUMNS(series_columns)};

	for (size_t i = 0; i < report->loaded->tree_count; i++)
		series_add_recording(&list, report, report->loaded->trees[i]->recording, filter);
	table_set_rows(&table, list.entries, list.count);
	report_write_table(report, &table, "series", true);
	if (list.count == 0 && filter)
		report_remark_empty(report, 0, 0, "series");
	else if (list.count == 0)
		report_write_remark(report, "No numbers over time were recorded; 'kymo run --host' "
					    "records those of the machine and the process");
}

enum kymo_status report_series(const struct report *report, struct problem *problem)
{
	const char *expression = report->options.filter;
	regex_t filter;
	char text[128];
	int result;

	if (!expression) {
		series_write(report, NULL);
		return KYMO_OK;
	}
	result = regcomp(&filter, expression, REG_EXTENDED | REG_NOSUB);
	if (result != 0) {
		regerror(result, &filter, text, sizeof(text));
		return problem_set(problem, KYMO_USAGE, "'%s' is not a regular expression: %s",
				   expression, text);
	}
	series_write(report, &filter);
	regfree(&filter);
	return KYMO_OK;
}
