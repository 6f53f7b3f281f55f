/* A metric of a profile in display units. */
#include "model/profile/metric_view.h"

#include <math.h>
#include <string.h>

#include "base/text/suggest.h"
#include "model/functions/estimates_text.h"

struct unit {
	const char *name;
	double size; /* in ns or bytes */
};

static const struct unit time_units[] = {
	{"nsec", 1},   {"usec", 1e3}, {"msec", 1e6}, {"csec", 1e7},
	{"dsec", 1e8}, {"sec", 1e9},  {"min", 6e10}, {"hr", 3.6e12},
};

static const struct unit memory_units[] = {
	{"B", 1},	  {"KB", 1e3},	       {"MB", 1e6},
	{"GB", 1e9},	  {"TB", 1e12},	       {"KiB", 1024},
	{"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* The settings of one family of metrics. */
struct family {
	enum setting_id precision, width, scientific;
	int default_precision;
};

static const struct family timing = {SET_TIMING_PRECISION, SET_TIMING_WIDTH, SET_TIMING_SCIENTIFIC,
				     6};
static const struct family memory = {SET_MEMORY_PRECISION, SET_MEMORY_WIDTH, SET_MEMORY_SCIENTIFIC,
				     3};

struct rows_options rows_options_from(const struct settings *settings)
{
	return (struct rows_options){
		.is_flat = settings_bool(settings, SET_FLAT_PROFILE),
		.merges_threads = settings_bool(settings, SET_COLLAPSE_THREADS),
		.merges_processes = settings_bool(settings, SET_COLLAPSE_PROCESSES),
		.thread = KYMO_NO_THREAD,
	};
}

static bool view_find_block(const struct rows *rows, enum kymo_metric metric, unsigned int *out)
{
	for (unsigned int i = 0; i < rows->metric_count; i++) {
		if (rows->metric_ids[i] == (uint32_t)metric) {
			*out = i;
			return true;
		}
	}
	return false;
}

static bool view_find_source(const struct rows *rows, enum kymo_metric metric,
			     enum metric_source *source_out, unsigned int *block_out)
{
	enum kymo_metric clock = metric_clock_of(metric);

	*block_out = 0;
	if (metric == KYMO_METRIC_WALL_CLOCK || metric == KYMO_METRIC_TRIP_COUNT) {
		*source_out =
			metric == KYMO_METRIC_WALL_CLOCK ? METRIC_FROM_ROW : METRIC_FROM_COUNT;
		return true;
	}
	*source_out = clock == KYMO_METRIC_COUNT ? METRIC_FROM_BLOCK : METRIC_DERIVED;
	return view_find_block(rows, clock == KYMO_METRIC_COUNT ? metric : clock, block_out);
}

bool metric_is_held(const struct rows *rows, enum kymo_metric metric)
{
	enum metric_source source;
	unsigned int block;

	return view_find_source(rows, metric, &source, &block);
}

static enum kymo_status not_held(const struct rows *rows, const char *name, struct problem *problem)
{
	char held[256] = "";
	struct suggestion search;

	suggest_begin(&search, name);
	for (unsigned id = 0; id < KYMO_METRIC_NAMED + metric_named_count(); id++) {
		enum kymo_metric metric = (enum kymo_metric)id;
		const char *other = metric_info(metric) ? metric_info(metric)->name : NULL;
		size_t length = strlen(held);

		if (!other)
			continue;
		suggest_offer(&search, other);
		if (metric_is_held(rows, metric))
			snprintf(held + length, sizeof(held) - length, "%s%s", length ? ", " : "",
				 other);
	}
	if (!metric_find(name) && search.best)
		return problem_set(problem, KYMO_USAGE, "unknown metric '%s'; did you mean '%s'?",
				   name, search.best);
	return problem_set(problem, metric_find(name) ? KYMO_ERROR : KYMO_USAGE,
			   "%s metric '%s'; the recording holds: %s",
			   metric_find(name) ? "no" : "unknown", name, held);
}

static void use_unit(struct metric_view *view, const struct unit *units, size_t count,
		     const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(units[i].name, name) == 0) {
			view->unit = units[i].name;
			view->scale = 1 / units[i].size;
		}
	}
}

/* A family's own setting takes precedence over the general one, that over the default. */
static long long view_choose(const struct settings *settings, enum setting_id own,
			     enum setting_id general, long long fallback)
{
	if (settings_source(settings, own) != SETTING_FROM_DEFAULT &&
	    settings_integer(settings, own) >= 0)
		return settings_integer(settings, own);
	if (settings_integer(settings, general) >= 0)
		return settings_integer(settings, general);
	return fallback;
}

static void use_family(struct metric_view *view, const struct family *family,
		       const struct settings *settings)
{
	view->precision = (int)view_choose(settings, family->precision, SET_PRECISION,
					   family->default_precision);
	view->width = (int)view_choose(settings, family->width, SET_WIDTH, 0);
	view->is_scientific = settings_bool(settings, family->scientific) ||
			      settings_bool(settings, SET_SCIENTIFIC);
}

static int default_precision(const struct metric_view *view)
{
	if (view->info->metric == KYMO_METRIC_SAMPLING_PERCENT)
		return 3;
	return view->source == METRIC_DERIVED ? 1 : 0;
}

static void use_settings(struct metric_view *view, const struct settings *settings)
{
	view->scale = view->info->display_scale;
	view->unit = view->info->display_unit;
	if (strcmp(view->info->unit, "ns") == 0) {
		use_unit(view, time_units, COUNT_OF(time_units),
			 settings_text(settings, SET_TIMING_UNITS));
		use_family(view, &timing, settings);
	} else if (strcmp(view->info->unit, "bytes") == 0) {
		use_unit(view, memory_units, COUNT_OF(memory_units),
			 settings_text(settings, SET_MEMORY_UNITS));
		use_family(view, &memory, settings);
	} else {
		view->precision = (int)view_choose(settings, SET_PRECISION, SET_PRECISION,
						   default_precision(view));
		view->width = (int)view_choose(settings, SET_WIDTH, SET_WIDTH, 0);
		view->is_scientific = settings_bool(settings, SET_SCIENTIFIC);
	}
}

static bool view_is_sampled(const struct rows *rows, enum metric_source source)
{
	if (source != METRIC_FROM_ROW || rows->tree_count == 0)
		return false;
	for (size_t i = 0; i < rows->tree_count; i++)
		if (!estimates_have_positions(rows->trees[i]->recording))
			return false;
	return true;
}

enum kymo_status metric_view_init(struct metric_view *view, const struct rows *rows,
				  const char *name, const struct settings *settings,
				  struct problem *problem)
{
	struct metric_view made = {.info = metric_find(name), .rows = rows};

	if (!made.info || !view_find_source(rows, made.info->metric, &made.source, &made.block))
		return not_held(rows, name, problem);
	made.is_sampled = view_is_sampled(rows, made.source);
	use_settings(&made, settings);
	*view = made;
	return KYMO_OK;
}

/* Sample variance and deviation from the sums; rounding of large sums may give small negative
 * values. */
static void add_spread(struct metric_value *value, uint64_t closed, double visits)
{
	double n = (double)closed;

	value->variance = closed > 1 ? (value->sum_squares - visits * visits / n) / (n - 1) : 0;
	if (!(value->variance > 0))
		value->variance = 0;
	value->deviation = sqrt(value->variance);
}

static void value_of_row(const struct metric_view *view, const struct row *row,
			 struct metric_value *out)
{
	double scale = view->scale;

	out->has_sum = true;
	out->sum = row->sum_ns * scale;
	out->self = row->self_ns * scale;
	out->self_percent = row->sum_ns > 0 ? 100 * row->self_ns / row->sum_ns : 100;
	out->mean = row->count ? row->visits_ns * scale / (double)row->count : out->sum;
	out->has_visits = row->closed_count > 0;
	out->min = row->min_ns * scale;
	out->max = row->max_ns * scale;
	out->sum_squares = row->sum_squares_ns * scale * scale;
	add_spread(out, row->closed_count, row->visits_ns * scale);
}

/* Amounts of memory may decrease during a visit; other metrics never do. */
static bool may_fall(enum kymo_metric metric)
{
	return metric == KYMO_METRIC_PAGE_RSS || metric == KYMO_METRIC_VIRTUAL_MEMORY;
}

static void value_of_block(const struct metric_view *view, size_t index, struct metric_value *out)
{
	const struct rows *rows = view->rows;
	const struct row_metric *metric = &rows->metrics[index * rows->metric_count + view->block];
	double scale = view->scale, self = metric->self;

	if (self < 0 && !may_fall(view->info->metric))
		self = 0;
	out->has_sum = out->has_visits = metric->count > 0;
	out->sum = metric->sum * scale;
	out->self = self * scale;
	out->self_percent = metric->visits != 0 ? 100 * self / metric->visits : 100;
	out->mean = metric->count ? metric->visits * scale / (double)metric->count : 0;
	out->min = metric->min * scale;
	out->max = metric->max * scale;
	out->sum_squares = metric->sum_squares * scale * scale;
	add_spread(out, metric->count, metric->visits * scale);
}

/* CPU utilization; the CPU time of open visits is not known. */
static void value_of_ratio(const struct metric_view *view, size_t index, struct metric_value *out)
{
	const struct rows *rows = view->rows;
	const struct row *row = &rows->rows[index];
	const struct row_metric *cpu = &rows->metrics[index * rows->metric_count + view->block];

	out->has_sum = cpu->count > 0 && row->sum_ns > 0 && !row->is_open;
	out->has_visits = false;
	if (!out->has_sum)
		return;
	out->sum = out->mean = 100 * cpu->sum / row->sum_ns;
	out->self = row->self_ns > 0 && cpu->self > 0 ? 100 * cpu->self / row->self_ns : 0;
	out->self_percent = cpu->visits > 0 && cpu->self > 0 ? 100 * cpu->self / cpu->visits : 0;
}

void metric_view_value(const struct metric_view *view, size_t index, struct metric_value *out)
{
	const struct row *row = &view->rows->rows[index];

	*out = (struct metric_value){.count = row->count};
	switch (view->source) {
	case METRIC_FROM_ROW:
		value_of_row(view, row, out);
		break;
	case METRIC_FROM_COUNT:
		out->has_sum = true;
		out->sum = out->self = (double)row->count;
		out->mean = 1;
		out->self_percent = 100;
		break;
	case METRIC_FROM_BLOCK:
		value_of_block(view, index, out);
		break;
	case METRIC_DERIVED:
		value_of_ratio(view, index, out);
		break;
	}
}
