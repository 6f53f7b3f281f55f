/* The line in the head of a report with the use of machine and process. */
#include "report/report_machine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "model/recording/series_stats.h"
#include "report/report.h"
#include "text/quantity.h"

struct line {
	char *text;
	size_t size, used;
};

static void machine_add(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void machine_add(struct line *line, const char *format, ...)
{
	va_list arguments;
	int length;

	if (line->used >= line->size)
		return;
	if (line->used > 0)
		line->used +=
			(size_t)snprintf(line->text + line->used, line->size - line->used, ", ");
	if (line->used >= line->size)
		return;
	va_start(arguments, format);
	length = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
	va_end(arguments);
	line->used += length > 0 ? (size_t)length : 0;
}

static const struct series_stats *machine_find(const struct recording *recording,
					       const struct series_stats *stats, const char *name)
{
	for (size_t i = 0; i < recording->series_count; i++)
		if (stats[i].count > 0 && strcmp(recording->series[i].name, name) == 0)
			return &stats[i];
	return NULL;
}

static void machine_write_line(struct line *line, const struct recording *recording,
			       const struct series_stats *stats)
{
	const struct series_stats *use = machine_find(recording, stats, "CPU Use (S)");
	const struct series_stats *peak = machine_find(recording, stats, "CPU Peak Memory (S)");
	const struct series_stats *throttled =
		machine_find(recording, stats, "Cgroup Throttled Time (S)");
	const struct series_stats *limit =
		machine_find(recording, stats, "Cgroup Memory Limit (S)");
	const char *cost = recording_note(recording, KYMO_NOTE_INFO, "procstat");
	char duration[QUANTITY_MAX];

	if (use)
		machine_add(line, "cores %.0f %% busy (at most %.0f %%)", use->mean, use->max);
	if (peak)
		machine_add(line, "peak memory %.1f MB", peak->max);
	if (peak && limit && limit->last > 0)
		machine_add(line, "limit %.0f MB", limit->last);
	if (throttled && throttled->last > 0)
		machine_add(line, "throttled for %s", quantity_duration(throttled->last, duration));
	if (cost)
		machine_add(line, "%.*s", (int)strcspn(cost, ","), cost);
	machine_add(line, "'kymo report --series'");
}

bool report_machine(const struct report *report, char *line_out, size_t size)
{
	struct line line = {line_out, size, 0};
	const struct recording *recording;
	struct series_stats *stats;

	if (report->loaded->tree_count == 0)
		return false;
	recording = report->loaded->trees[0]->recording;
	if (!recording_note(recording, KYMO_NOTE_INFO, "procstat"))
		return false;
	stats = series_stats_new(recording);
	if (!stats)
		return false;
	machine_write_line(&line, recording, stats);
	free(stats);
	return true;
}
