/* The hot path as a table, and a sentence on where it ends. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "model/findings/hot_path.h"
#include "report/views/report_text.h"
#include "text/quantity.h"

#define INDENT_MAX 24
#define HALF	   0.5

static const struct table_column columns[] = {
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"% OF CALLER", "caller_percent", TABLE_PERCENT, 1, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"REGION", "name", TABLE_TEXT, 0, 0, false},
	/* Only where a program reads the table: */
	{"PLACE", "place", TABLE_TEXT, 0, 0, false},
	{"LEVELS", "levels", TABLE_COUNT, 0, 0, false},
	/* Only where calls are estimates: */
	{"CALLS LOW", "calls_low", TABLE_COUNT, 0, 0, false},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, 0, 0, false},
};
#define PEOPLE_COLUMNS	 6
#define PROGRAM_COLUMNS	 8
#define ESTIMATE_COLUMNS 10

struct steps {
	const struct hot_path *path;
	const struct region_union *regions;
	bool is_for_people;
	char text[REPORT_NAME_MAX + INDENT_MAX + 32];
};

static struct table_cell path_name_cell(struct steps *steps, size_t row)
{
	const struct hot_step *step = &steps->path->steps[row];
	const struct region *region = steps->regions->regions[step->region];
	size_t indent = row < INDENT_MAX ? row : INDENT_MAX, used;

	if (!steps->is_for_people) {
		region_name(region, steps->text, sizeof(steps->text));
		return (struct table_cell){.text = steps->text};
	}
	memset(steps->text, ' ', indent);
	report_region(region, steps->text + indent, REPORT_NAME_MAX);
	used = strlen(steps->text);
	if (step->levels > 1)
		snprintf(steps->text + used, sizeof(steps->text) - used, "  (%u levels)",
			 step->levels);
	return (struct table_cell){.text = steps->text};
}

static struct table_cell path_cell(void *context, size_t row, unsigned int column)
{
	struct steps *steps = context;
	const struct hot_step *step = &steps->path->steps[row];

	switch (column) {
	case 0:
		return table_percent(step->total_ns, steps->path->base.whole_ns);
	case 1:
		return (struct table_cell){.number = step->total_ns * 1e-9};
	case 2:
		return (struct table_cell){.number = step->self_ns * 1e-9};
	case 3:
		return table_percent(step->total_ns, step->caller_ns);
	case 4:
		return (struct table_cell){.count = step->calls.count,
					   .is_about = step->calls.is_estimated};
	case 5:
		return path_name_cell(steps, row);
	case 6:
		return report_place_cell(steps->regions->regions[step->region], steps->text);
	case 7:
		return (struct table_cell){.count = step->levels};
	case 8:
		return (struct table_cell){.count = step->calls.low};
	default:
		return (struct table_cell){.count = step->calls.high};
	}
}

static void write_spread(const struct report *report, const struct hot_path *path, const char *name,
			 double whole_ns)
{
	char callee[REPORT_NAME_MAX], share[QUANTITY_MAX];

	region_name(report->regions->regions[path->callee], callee, sizeof(callee));
	quantity_percent(100 * path->callee_ns / whole_ns, share);
	if (path->callee_count == 1)
		report_write_remark(report, "%s calls only %s, which has %s of its time.", name,
				    callee, share);
	else
		report_write_remark(report,
				    "%s spreads its time over %zu callees; the largest, %s, "
				    "has %s of it.",
				    name, path->callee_count, callee, share);
}

static void path_write_end(const struct report *report, const struct hot_path *path)
{
	const struct hot_step *last;
	char name[REPORT_NAME_MAX], share[QUANTITY_MAX];

	if (path->base.regions_ns <= 0) {
		report_remark_empty(report, 0, 0, "region");
		return;
	}
	report_write_remark(report, "%s", "");
	if (path->count == 0 && path->base.outside_ns > path->callee_ns) {
		report_write_remark(
			report,
			"The run spends %s of its time outside any recorded "
			"region.",
			quantity_percent(time_base_percent(&path->base, path->base.outside_ns),
					 share));
		return;
	}
	if (path->count == 0) {
		write_spread(report, path, "The run", path->base.whole_ns);
		return;
	}
	last = &path->steps[path->count - 1];
	region_name(report->regions->regions[last->region], name, sizeof(name));
	if (path->callee_count == 0 || last->self_ns >= HALF * last->total_ns)
		report_write_remark(report, "%s spends %s of its time in its own lines.", name,
				    quantity_percent(100 * last->self_ns / last->total_ns, share));
	else
		write_spread(report, path, name, last->total_ns);
}

enum kymo_status report_hot_path(const struct report *report, struct problem *problem)
{
	struct steps steps = {
		.regions = report->regions,
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct table table = {
		.columns = columns,
		.column_count = steps.is_for_people ? PEOPLE_COLUMNS : PROGRAM_COLUMNS,
		.context = &steps,
		.cell = path_cell,
	};
	struct hot_path *path;
	bool has_estimates = false;

	if (hot_path_new(report->loaded, report->regions, report->options.thread,
			 report->options.above / 100, &path) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	steps.path = path;
	for (size_t i = 0; i < path->count; i++)
		has_estimates |= path->steps[i].calls.is_estimated;
	if (has_estimates && !steps.is_for_people)
		table.column_count = ESTIMATE_COLUMNS;
	table.row_count = report_row_count(report, path->count);
	report_write_table(report, &table, "hot_path", true);
	if (has_estimates)
		report_write_remark(report, REPORT_CALLS_REMARK);
	report_remark_rest(report, path->count, "step");
	path_write_end(report, path);
	hot_path_free(path);
	return KYMO_OK;
}
