/* Words and numbers on how a time is spread over ranks, processes, threads or runs. */
#include "report/views/report_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts/runtime_code.h"
#include "model/profile/name_filter.h"
#include "report/views/report_text.h"
#include "text/quantity.h"

enum kymo_status spread_group(const struct report *report, const struct parts *parts,
			      enum parts_by *by_out, struct problem *problem)
{
	*by_out = report->options.has_group ? report->options.group : parts_by_default(parts);
	if (*by_out == PARTS_BY_RANK && parts->rank_count == 0)
		return problem_set(problem, KYMO_USAGE,
				   "no process of this run is a rank of MPI; choose --group "
				   "process or thread");
	return KYMO_OK;
}

enum kymo_status spread_filtered(const struct report *report, bool **marks_out,
				 struct problem *problem)
{
	struct name_filter filter;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);
	bool *marks;

	if (status < 0)
		return status;
	marks = calloc((size_t)report->regions->count + 1, sizeof(*marks));
	for (uint32_t i = 0; marks && i < report->regions->count; i++)
		marks[i] = name_filter_accepts(&filter, report->regions->regions[i]);
	name_filter_release(&filter);
	if (!marks)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	*marks_out = marks;
	return KYMO_OK;
}

enum kymo_status spread_show(const struct report *report, bool *marks, spread_view *view,
			     struct problem *problem)
{
	struct parts *parts;
	enum kymo_status status = parts_new(report->loaded, report->regions, &parts, problem);

	if (status == KYMO_OK) {
		status = view(report, parts, marks, problem);
		parts_free(parts);
	}
	free(marks);
	return status;
}

enum kymo_status spread_show_filtered(const struct report *report, spread_view *view,
				      struct problem *problem)
{
	bool *marks;
	enum kymo_status status = spread_filtered(report, &marks, problem);

	return status < 0 ? status : spread_show(report, marks, view, problem);
}

enum kymo_status spread_add_marked(const struct report *report, const struct parts *parts,
				   const bool *marks, spread_add *add, void *context)
{
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; i < report->regions->count && status == KYMO_OK; i++)
		if (marks[i] && parts->first[i] < parts->first[i + 1])
			status = add(context, i);
	return status;
}

const char *spread_noun(enum parts_by by, size_t count)
{
	static const char *const nouns[PARTS_BY_COUNT][2] = {
		[PARTS_BY_THREAD] = {"thread", "threads"},
		[PARTS_BY_PROCESS] = {"process", "processes"},
		[PARTS_BY_RANK] = {"rank", "ranks"},
		[PARTS_BY_RUN] = {"run", "runs"},
	};

	return nouns[by][count != 1];
}

const char *spread_bar(double value, double largest, char text[SPREAD_BAR_MAX + 1])
{
	size_t length = 0;

	if (largest > 0 && value > 0)
		length = (size_t)lround(SPREAD_BAR_MAX * fmin(1, value / largest));
	memset(text, '#', length);
	text[length] = '\0';
	return text;
}

void spread_remark(const struct report *report, const struct parts *parts, enum parts_by by,
		   const struct parts_spread *spread)
{
	char first[REPORT_NAME_MAX], last[REPORT_NAME_MAX], numbers[5][QUANTITY_MAX];

	if (spread->count < 2)
		return;
	parts_group_name(parts, by, spread->min_at, first, sizeof(first));
	parts_group_name(parts, by, spread->max_at, last, sizeof(last));
	report_write_remark(report, "\nmin %s (%s)",
			    quantity_duration(spread->min * 1e-9, numbers[0]), first);
	report_write_remark(report, "max %s (%s)",
			    quantity_duration(spread->max * 1e-9, numbers[1]), last);
	report_write_remark(report, "mean %s, standard deviation %s, imbalance %s",
			    quantity_duration(spread->mean * 1e-9, numbers[2]),
			    quantity_duration(spread->deviation * 1e-9, numbers[3]),
			    quantity_percent(100 * spread->imbalance, numbers[4]));
}

bool spread_remark_unmatched(const struct report *report, const struct parts *parts,
			     const bool *marks)
{
	size_t matches = 0;

	for (uint32_t i = 0; i < report->regions->count; i++)
		matches += marks[i] && parts->first[i] < parts->first[i + 1];
	return report->options.filter && report_remark_empty(report, matches, 0, "region");
}

static bool has_mpi(const struct region_union *regions)
{
	for (uint32_t i = 0; i < regions->count; i++)
		if (runtime_code_of(regions->regions[i]) == RUNTIME_CODE_MPI)
			return true;
	return false;
}

void spread_remark_work(const struct report *report, const struct parts *parts, enum parts_by by)
{
	if (parts->has_whole_times)
		report_write_remark(report, "this was merged without what of the times is work: "
					    "calls that waited inside of others are counted");
	else if (by == PARTS_BY_RANK && parts->rank_count > 1 && !report->loaded->is_sampled &&
		 !has_mpi(report->regions))
		report_write_remark(report, "no call of MPI was recorded: what ranks waited for "
					    "others inside of their calls is counted as work");
}

static const struct table_column columns[] = {
	{"COUNT", "count", TABLE_COUNT, 0, 0, false},
	{"SUM", "sum", TABLE_DURATION, 0, 0, false},
	{"MIN", "min", TABLE_DURATION, 0, 0, false},
	{"AT", "min_at", TABLE_TEXT, 0, 0, false},
	{"MAX", "max", TABLE_DURATION, 0, 0, false},
	{"AT", "max_at", TABLE_TEXT, 0, 0, false},
	{"MEAN", "mean", TABLE_DURATION, 0, 0, false},
	{"MEDIAN", "median", TABLE_DURATION, 0, 0, false},
	{"DEVIATION", "deviation", TABLE_DURATION, 0, 0, false},
	{"IMBALANCE", "imbalance_percent", TABLE_PERCENT, 1, 0, false},
};

static struct table_cell spread_name_cell(struct spread_table *table, size_t group)
{
	if (table->spread->count == 0)
		return (struct table_cell){.is_missing = true};
	parts_group_name(table->parts, table->by, group, table->text, sizeof(table->text));
	return (struct table_cell){.text = table->text};
}

static struct table_cell spread_time_cell(double ns)
{
	return (struct table_cell){.number = ns * 1e-9};
}

static struct table_cell spread_cell(void *context, size_t row, unsigned int column)
{
	struct spread_table *table = context;
	const struct parts_spread *spread = table->spread;

	(void)row;
	switch (column) {
	case 0:
		return (struct table_cell){.count = spread->count};
	case 1:
		return spread_time_cell(spread->sum);
	case 2:
		return spread_time_cell(spread->min);
	case 3:
		return spread_name_cell(table, spread->min_at);
	case 4:
		return spread_time_cell(spread->max);
	case 5:
		return spread_name_cell(table, spread->max_at);
	case 6:
		return spread_time_cell(spread->mean);
	case 7:
		return spread_time_cell(spread->median);
	case 8:
		return spread_time_cell(spread->deviation);
	default:
		return (struct table_cell){.number = 100 * spread->imbalance};
	}
}

struct table spread_table_of(struct spread_table *context)
{
	return (struct table){
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
		.row_count = 1,
		.context = context,
		.cell = spread_cell,
	};
}
