/* One row a rank, process, thread or repeated run: how much of the time it had.
 *
 * Without a choice of regions that is all that was recorded there.  Of regions that a filter
 * chooses it is their own time, which adds up whoever calls whom; of the regions of one name
 * it is their total. */
#include <stdlib.h>
#include <string.h>

#include "model/profile/name_filter.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_spread.h"
#include "report/views/report_text.h"

enum rank_column { RANK_WORK, RANK_TIME, RANK_SHARE, RANK_CALLS, RANK_NAME, RANK_BAR };

static const enum rank_column people_order[] = {RANK_WORK,  RANK_TIME, RANK_SHARE,
						RANK_CALLS, RANK_BAR,  RANK_NAME};
static const enum rank_column program_order[] = {RANK_TIME, RANK_WORK, RANK_SHARE, RANK_CALLS,
						 RANK_NAME};

static const struct table_column people_columns[] = {
	{"WORK", "work", TABLE_DURATION, 0, 0, false},
	{"TIME", "time", TABLE_DURATION, 0, 0, false},
	{"% OF WORK", "percent", TABLE_PERCENT, 1, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"", "bar", TABLE_TEXT, 0, 0, false},
	{"WHO", "name", TABLE_TEXT, 0, 0, false},
};
static const struct table_column program_columns[] = {
	{"TIME", "time", TABLE_DURATION, 0, 0, false},
	{"WORK", "work", TABLE_DURATION, 0, 0, false},
	{"% OF WORK", "percent", TABLE_PERCENT, 1, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"WHO", "name", TABLE_TEXT, 0, 0, false},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
#define RANK_COLUMNS	COUNT_OF(people_columns)

struct ranks {
	const struct parts *parts;
	enum parts_by by;
	struct parts_spread spread;
	double *times;	 /* per group: with what waited */
	uint64_t *calls; /* likewise */
	size_t *order;	 /* groups as they are shown */
	bool is_work;	 /* what is compared; else the time of what was chosen */
	const enum rank_column *columns;
	char text[REPORT_NAME_MAX];
};

static struct table_cell ranks_cell(void *context, size_t row, unsigned int column)
{
	struct ranks *ranks = context;
	const struct parts_spread *spread = &ranks->spread;
	size_t group = ranks->order[row];
	double value = spread->values[group];

	switch (ranks->columns[column]) {
	case RANK_WORK:
		return (struct table_cell){.is_missing = !ranks->is_work, .number = value * 1e-9};
	case RANK_TIME:
		return (struct table_cell){.number = ranks->times[group] * 1e-9};
	case RANK_SHARE:
		return (struct table_cell){.number =
						   spread->sum > 0 ? 100 * value / spread->sum : 0};
	case RANK_CALLS:
		return (struct table_cell){.count = ranks->calls[group]};
	case RANK_NAME:
		parts_group_name(ranks->parts, ranks->by, group, ranks->text, sizeof(ranks->text));
		return (struct table_cell){.text = ranks->text};
	case RANK_BAR:
		return (struct table_cell){.text = spread_bar(value, spread->max, ranks->text)};
	}
	return (struct table_cell){.is_missing = true};
}

static void ranks_add_share(const struct report *report, const struct part_share *share,
			    struct ranks *ranks)
{
	size_t group = parts_group(ranks->parts, ranks->by, share->part);

	ranks->calls[group] += share->count;
	ranks->times[group] += report->options.region ? share->total_ns : share->self_ns;
}

static void ranks_count_calls(const struct report *report, const bool *marks, struct ranks *ranks)
{
	const struct parts *parts = ranks->parts;

	for (uint32_t i = 0; i < report->regions->count; i++) {
		if (!marks[i])
			continue;
		for (size_t k = parts->first[i]; k < parts->first[i + 1]; k++)
			ranks_add_share(report, &parts->shares[k], ranks);
	}
}

static int ranks_by_time(const void *left, const void *right, void *context)
{
	const struct ranks *ranks = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	double first = ranks->spread.values[a], second = ranks->spread.values[b];

	if (first != second)
		return first < second ? 1 : -1;
	return (a > b) - (a < b);
}

/* What somebody chose by name is shown as it is: waiting may be what he looks for. */
static enum parts_time ranks_time_of(const struct report *report)
{
	if (report->options.region)
		return PARTS_TOTAL;
	return report->options.filter ? PARTS_SELF : PARTS_WORK;
}

static enum kymo_status ranks_add_up(const struct report *report, const bool *marks,
				     struct ranks *ranks)
{
	size_t count = parts_group_count(ranks->parts, ranks->by);
	enum kymo_status status =
		parts_spread_sum(ranks->parts, marks, report->regions->count, ranks->by,
				 ranks_time_of(report), &ranks->spread);

	ranks->calls = calloc(count + 1, sizeof(*ranks->calls));
	ranks->order = calloc(count + 1, sizeof(*ranks->order));
	ranks->times = calloc(count + 1, sizeof(*ranks->times));
	if (status < 0 || !ranks->calls || !ranks->order || !ranks->times)
		return KYMO_MEMORY;
	ranks_count_calls(report, marks, ranks);
	for (size_t i = 0; i < ranks->spread.count; i++)
		ranks->order[i] = i;
	if (report->options.order == ORDER_TOTAL || report->options.order == ORDER_SELF)
		qsort_r(ranks->order, ranks->spread.count, sizeof(*ranks->order), ranks_by_time,
			ranks);
	return KYMO_OK;
}

static void ranks_choose_columns(const struct ranks *ranks, bool is_for_people,
				 struct table_column columns[RANK_COLUMNS])
{
	size_t count = is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns);

	memcpy(columns, is_for_people ? people_columns : program_columns, count * sizeof(*columns));
	for (size_t i = 0; i < count && !ranks->is_work; i++)
		if (ranks->columns[i] == RANK_SHARE)
			columns[i].heading = "% OF TIME";
}

static void ranks_write(const struct report *report, const bool *marks, struct ranks *ranks)
{
	bool is_for_people = report_form_is_for_people(report->options.form);
	struct table_column columns[RANK_COLUMNS];
	struct table table = {
		.columns = columns,
		.column_count =
			is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.row_count = report_row_count(report, ranks->spread.count),
		.context = ranks,
		.cell = ranks_cell,
	};
	struct parts_spread measured = ranks->spread;
	struct spread_table summary = {ranks->parts, ranks->by, &measured, ""};
	struct table spread = spread_table_of(&summary);
	const struct report_table tables[] = {{&table, "groups", ""}, {&spread, "spread", ""}};

	/* What started the ranks has a row, and is no measure for their work. */
	if (ranks->by == PARTS_BY_RANK && ranks_time_of(report) == PARTS_WORK &&
	    parts_spread_ranked(ranks->parts, &measured) < 0)
		measured = ranks->spread;
	ranks->columns = is_for_people ? people_order : program_order;
	ranks_choose_columns(ranks, is_for_people, columns);
	report_write_tables(report, tables, report->options.form == REPORT_JSON ? 2 : 1, true);
	report_remark_rest(report, ranks->spread.count, spread_noun(ranks->by, 1));
	if (spread_remark_unmatched(report, ranks->parts, marks))
		return;
	spread_remark(report, ranks->parts, ranks->by, &measured);
	if (ranks->is_work)
		spread_remark_work(report, ranks->parts, ranks->by);
}

static enum kymo_status ranks_report_parts(const struct report *report, const struct parts *parts,
					   const bool *marks, struct problem *problem)
{
	struct ranks ranks = {.parts = parts, .is_work = ranks_time_of(report) == PARTS_WORK};
	enum kymo_status status = spread_group(report, parts, &ranks.by, problem);

	if (status < 0)
		return status;
	status = ranks_add_up(report, marks, &ranks);
	if (status == KYMO_OK)
		ranks_write(report, marks, &ranks);
	else
		problem_set(problem, status, "out of memory");
	parts_spread_release(&ranks.spread);
	free(ranks.calls);
	free(ranks.times);
	free(ranks.order);
	return status;
}

enum kymo_status report_ranks(const struct report *report, struct problem *problem)
{
	const char *name = report->options.region;
	bool *marks;
	enum kymo_status status = name ? name_find(report->regions, name, &marks, problem)
				       : spread_filtered(report, &marks, problem);

	return status < 0 ? status : spread_show(report, marks, ranks_report_parts, problem);
}
