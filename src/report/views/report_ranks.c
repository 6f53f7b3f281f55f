/* One row per rank, process, thread or repeated run: its share of the time.
 *
 * Without selected regions that is all that was recorded there.  Of regions selected by a filter it
 * is their self time, which adds up whatever the calls between them; of the regions of one name it
 * is their total. */
#include <string.h>

#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_spread.h"
#include "report/tables/table_get.h"
#include "report/tables/table_sort.h"
#include "report/views/report_text.h"

#define RANKS_WORK TABLE_HAS(0) /* work is compared; else the time of the selected regions */
#define RANKS_TIME TABLE_HAS(1)

struct rank {
	size_t group;
	double value_ns; /* the compared value */
	double time_ns;	 /* including waits */
	uint64_t calls;	 /* likewise */
};

struct ranks {
	const struct parts *parts;
	enum parts_by by;
	struct parts_spread spread;
	struct rank *ranks; /* per group */
	bool is_work;	    /* work is compared; else the time of the selected regions */
	char text[REPORT_NAME_MAX];
};

static struct table_cell ranks_work(const struct table_item *item)
{
	const struct ranks *ranks = item->view;

	return (struct table_cell){.is_missing = !ranks->is_work,
				   .number = ((const struct rank *)item->row)->value_ns * 1e-9};
}

static struct table_cell ranks_share(const struct table_item *item)
{
	const struct ranks *ranks = item->view;

	return table_percent(((const struct rank *)item->row)->value_ns, ranks->spread.sum);
}

static struct table_cell ranks_bar(const struct table_item *item)
{
	struct ranks *ranks = item->view;

	return table_text(spread_bar(((const struct rank *)item->row)->value_ns, ranks->spread.max,
				     ranks->text));
}

static struct table_cell ranks_name(const struct table_item *item)
{
	struct ranks *ranks = item->view;

	parts_group_name(ranks->parts, ranks->by, ((const struct rank *)item->row)->group,
			 ranks->text, sizeof(ranks->text));
	return table_text(ranks->text);
}

static const struct table_column columns[] = {
	{"WORK", "work", TABLE_DURATION, TABLE_PEOPLE, .get = ranks_work},
	{"TIME", "time", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct rank, time_ns)},
	{"WORK", "work", TABLE_DURATION, TABLE_PROGRAMS, .get = ranks_work},
	{"% OF WORK", "percent", TABLE_PERCENT, TABLE_ALL | RANKS_WORK, .get = ranks_share},
	{"% OF TIME", "percent", TABLE_PERCENT, TABLE_ALL | RANKS_TIME, .get = ranks_share},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct rank, calls)},
	{"", "bar", TABLE_TEXT, TABLE_PEOPLE, .get = ranks_bar},
	{"WHO", "name", TABLE_TEXT, TABLE_ALL, .get = ranks_name},
	{"", "value", TABLE_DURATION, TABLE_HIDDEN, TABLE_FIELD(struct rank, value_ns)},
};

/* Ties stay sorted by number. */
static const char *const ranks_order[] = {"value", NULL};

static void ranks_add_share(const struct report *report, const struct part_share *share,
			    struct ranks *ranks)
{
	struct rank *rank = &ranks->ranks[parts_group(ranks->parts, ranks->by, share->part)];

	rank->calls += share->count;
	rank->time_ns += report->options.region ? share->total_ns : share->self_ns;
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

/* Regions selected by name are shown as they are: the user may be looking for waits. */
static enum parts_time ranks_time_of(const struct report *report)
{
	if (report->options.region)
		return PARTS_TOTAL;
	return report->options.filter ? PARTS_SELF : PARTS_WORK;
}

static void ranks_add_up(const struct report *report, const bool *marks, struct ranks *ranks)
{
	size_t count = parts_group_count(ranks->parts, ranks->by);

	xneed(parts_spread_sum(ranks->parts, marks, report->regions->count, ranks->by,
			       ranks_time_of(report), &ranks->spread) == KYMO_OK);
	ranks->ranks = xcalloc(count + 1, sizeof(*ranks->ranks));
	ranks_count_calls(report, marks, ranks);
	for (size_t i = 0; i < ranks->spread.count; i++) {
		ranks->ranks[i].group = i;
		ranks->ranks[i].value_ns = ranks->spread.values[i];
	}
}

static void ranks_write_tables(const struct report *report, struct ranks *ranks, const bool *marks,
			       const struct table *table)
{
	struct parts_spread measured = ranks->spread;
	struct spread_table summary = {ranks->parts, ranks->by, &measured, ""};
	struct table spread = spread_table_of(&summary);
	const struct report_table tables[] = {{table, "groups", ""}, {&spread, "spread", ""}};

	/* The process that started the ranks has a row, but does not affect their statistics. */
	if (ranks->by == PARTS_BY_RANK && ranks_time_of(report) == PARTS_WORK &&
	    parts_spread_ranked(ranks->parts, &measured) < 0)
		measured = ranks->spread;
	report_write_tables(report, tables, report->options.form == REPORT_JSON ? 2 : 1, true);
	report_remark_rest(report, ranks->spread.count, spread_noun(ranks->by, 1));
	if (spread_remark_unmatched(report, ranks->parts, marks))
		return;
	spread_remark(report, ranks->parts, ranks->by, &measured);
	if (ranks->is_work)
		spread_remark_work(report, ranks->parts, ranks->by);
}

static void ranks_write(const struct report *report, struct ranks *ranks, const bool *marks)
{
	size_t count = ranks->spread.count;
	enum view_order order = report->options.order;
	struct table table = {
		TABLE_COLUMNS(columns),
		.audience = ranks->is_work ? RANKS_WORK : RANKS_TIME,
		TABLE_ROWS(ranks->ranks, report_row_count(report, count)),
		.order = table_order_new(count),
		.view = ranks,
	};

	if (order == ORDER_TOTAL || order == ORDER_SELF)
		table_sort(&table, count, ranks_order);
	ranks_write_tables(report, ranks, marks, &table);
}

static enum kymo_status ranks_report_parts(const struct report *report, const struct parts *parts,
					   const bool *marks, struct problem *problem)
{
	struct ranks ranks = {.parts = parts, .is_work = ranks_time_of(report) == PARTS_WORK};
	enum kymo_status status = spread_group(report, parts, &ranks.by, problem);

	if (status < 0)
		return status;
	ranks_add_up(report, marks, &ranks);
	ranks_write(report, &ranks, marks);
	parts_spread_release(&ranks.spread);
	return KYMO_OK;
}

enum kymo_status report_ranks(const struct report *report, struct problem *problem)
{
	const char *name = report->options.region;
	bool *marks;
	enum kymo_status status = name ? name_find(report->regions, name, &marks, problem)
				       : spread_filtered(report, &marks, problem);

	return status < 0 ? status : spread_show(report, marks, ranks_report_parts, problem);
}
