/* Words and numbers on how a time is distributed over ranks, processes, threads or runs. */
#include "report/views/report_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "model/parts/runtime_code.h"
#include "model/profile/name_filter.h"
#include "report/tables/table_get.h"
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
	xneed(marks != NULL);
	for (uint32_t i = 0; i < report->regions->count; i++)
		marks[i] = name_filter_accepts(&filter, report->regions->regions[i]);
	name_filter_release(&filter);
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

void spread_add_marked(const struct report *report, const struct parts *parts, const bool *marks,
		       spread_add *add, void *context)
{
	for (uint32_t i = 0; i < report->regions->count; i++)
		if (marks[i] && parts->first[i] < parts->first[i + 1])
			add(context, i);
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
		report_write_remark(report, "this was merged without the times of work: calls that "
					    "waited inside of others are counted as work");
	else if (by == PARTS_BY_RANK && parts->rank_count > 1 && !report->loaded->is_sampled &&
		 !has_mpi(report->regions))
		report_write_remark(report, "no call of MPI was recorded: time that ranks waited "
					    "for others inside of their calls is counted as work");
}

/* The name of the group whose number is the column's member. */
static struct table_cell spread_name(const struct table_item *item)
{
	struct spread_table *table = item->view;
	const size_t *group = table_member(item);

	if (table->spread->count == 0)
		return table_text(NULL);
	parts_group_name(table->parts, table->by, *group, table->text, sizeof(table->text));
	return table_text(table->text);
}

static struct table_cell spread_imbalance(const struct table_item *item)
{
	const struct parts_spread *spread = item->row;

	return (struct table_cell){.number = 100 * spread->imbalance};
}

#define SPREAD_FIELD(member) TABLE_FIELD(struct parts_spread, member)

static const struct table_column columns[] = {
	{"COUNT", "count", TABLE_COUNT, TABLE_ALL, SPREAD_FIELD(count)},
	{"SUM", "sum", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(sum)},
	{"MIN", "min", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(min)},
	{"AT", "min_at", TABLE_TEXT, TABLE_ALL,
	 TABLE_MEMBER(spread_name, struct parts_spread, min_at)},
	{"MAX", "max", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(max)},
	{"AT", "max_at", TABLE_TEXT, TABLE_ALL,
	 TABLE_MEMBER(spread_name, struct parts_spread, max_at)},
	{"MEAN", "mean", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(mean)},
	{"MEDIAN", "median", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(median)},
	{"DEVIATION", "deviation", TABLE_DURATION, TABLE_ALL, SPREAD_FIELD(deviation)},
	{"IMBALANCE", "imbalance_percent", TABLE_PERCENT, TABLE_ALL, .get = spread_imbalance},
};

struct table spread_table_of(struct spread_table *context)
{
	return (struct table){
		TABLE_COLUMNS(columns),
		TABLE_ROWS(context->spread, 1),
		.view = context,
	};
}
