/* The hot path as a table, and a sentence on where it ends. */
#include "report/report.h"

#include <string.h>

#include "command/xalloc.h"
#include "model/findings/hot_path.h"
#include "report/tables/table_path_time.h"
#include "report/views/report_text.h"
#include "text/quantity.h"

#define INDENT_MAX 24
#define HALF	   0.5

struct steps {
	struct path_times times;
	const struct hot_path *path;
};

static struct table_cell path_percent(const struct table_item *item)
{
	const struct steps *steps = item->view;

	return table_percent(((const struct hot_step *)item->row)->total_ns,
			     steps->path->base.whole_ns);
}

static struct table_cell path_caller_percent(const struct table_item *item)
{
	const struct hot_step *step = item->row;

	return table_percent(step->total_ns, step->caller_ns);
}

static struct table_cell path_region(const struct table_item *item)
{
	struct steps *steps = item->view;
	const struct hot_step *step = item->row;
	size_t row = (size_t)(step - steps->path->steps), used;
	size_t indent = row < INDENT_MAX ? row : INDENT_MAX;
	char *text = steps->times.texts.text;

	memset(text, ' ', indent);
	report_region(table_region_of(item), text + indent, REPORT_NAME_MAX);
	used = strlen(text);
	if (step->levels > 1)
		snprintf(text + used, sizeof(steps->times.texts.text) - used, "  (%u levels)",
			 step->levels);
	return table_text(text);
}

#define PATH_REGION(getter) TABLE_REGION(getter, struct hot_step, region)
#define PATH_CALLS(getter)  TABLE_MEMBER(getter, struct hot_step, calls)

static const struct table_column columns[] = {
	{"% TOTAL", "total_percent", TABLE_PERCENT, TABLE_ALL, .get = path_percent},
	PATH_TIME_COLUMN("TOTAL", "total", struct hot_step, total_ns),
	PATH_TIME_COLUMN("SELF", "self", struct hot_step, self_ns),
	{"% OF CALLER", "caller_percent", TABLE_PERCENT, TABLE_ALL, .get = path_caller_percent},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, PATH_CALLS(table_get_calls)},
	{"REGION", "name", TABLE_TEXT, TABLE_PEOPLE, PATH_REGION(path_region)},
	{"REGION", "name", TABLE_TEXT, TABLE_PROGRAMS, PATH_REGION(table_get_name)},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS, PATH_REGION(table_get_location)},
	{"LEVELS", "levels", TABLE_COUNT, TABLE_PROGRAMS, TABLE_FIELD(struct hot_step, levels)},
	{"CALLS LOW", "calls_low", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 PATH_CALLS(table_get_calls_low)},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 PATH_CALLS(table_get_calls_high)},
	PATH_BOUNDS_COLUMNS("TOTAL", "total", struct hot_step, total_ns),
	PATH_BOUNDS_COLUMNS("SELF", "self", struct hot_step, self_ns),
};

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
	struct steps steps = {.times = {.texts.regions = report->regions,
					.errors = path_errors_of(report->loaded->trees,
								 report->loaded->tree_count,
								 report->options.thread)}};
	struct table table = {TABLE_COLUMNS(columns), .view = &steps};
	struct hot_path *path;
	bool has_estimates = false;

	(void)problem;
	xneed(hot_path_new(report->loaded, report->regions, report->options.thread,
			   report->options.above / 100, &path) == KYMO_OK);
	steps.path = path;
	for (size_t i = 0; i < path->count; i++)
		has_estimates |= path->steps[i].calls.is_estimated;
	table.audience = (has_estimates ? TABLE_ESTIMATES : 0) |
			 (steps.times.errors.is_known ? TABLE_PATH_ERRORS : 0);
	table_set_rows(&table, path->steps, report_row_count(report, path->count));
	report_write_table(report, &table, "hot_path", true);
	if (has_estimates)
		report_write_remark(report, REPORT_CALLS_REMARK);
	if (steps.times.errors.is_known)
		report_write_remark(report, POSITIONS_REMARK);
	report_remark_rest(report, path->count, "step");
	path_write_end(report, path);
	hot_path_free(path);
	return KYMO_OK;
}
