/* What a trace of every call would cost: one row per region; regions are marked that are called so
 * often and so briefly that their records would mainly measure the overhead.  A filter file
 * excludes these from the next run. */
#include "report/report.h"

#include <float.h>
#include <string.h>

#include "base/outfile.h"
#include "platform/ticks.h"
#include "report/views/report_flat.h"
#include "report/views/report_text.h"

/* A region is marked if recording a call takes more than this part of the call … */
#define COST_PERCENT 10.0
/* … and recording its calls more than this part of the time of all regions. */
#define RUN_PERCENT  0.1

#define NATIVE_PAIR_BYTES 8u  /* an adjacent enter and exit, as trampolines write them */
#define EVENT_PAIR_BYTES  16u /* the same as events */

#define CALIBRATION_PAIRS  512u
#define CALIBRATION_ROUNDS 9u

struct score {
	struct region_texts texts;
	const struct report *report;
	const struct flat_view *view;
	double native_ns, event_ns; /* of an enter and an exit */
};

static double score_seconds_of(const struct kymo_clock_pair *from, const struct kymo_clock_pair *to)
{
	return (double)(to->monotonic_ns - from->monotonic_ns) * 1e-9;
}

/* Ticks that a trampoline takes: two readings of the clock and two records. */
static double measure_pair_ns(void)
{
	uint8_t buffer[CALIBRATION_PAIRS * NATIVE_PAIR_BYTES + sizeof(uint64_t)];
	struct kymo_clock_pair from, to;
	double best = DBL_MAX;

	for (unsigned int round = 0; round < CALIBRATION_ROUNDS; round++) {
		uint8_t *cursor = buffer;
		uint64_t last = 0;

		from = clock_read_pair();
		for (unsigned int i = 0; i < 2 * CALIBRATION_PAIRS; i++) {
			uint64_t now = ticks_read(), record = (now - last) << 2 | (i & 1);

			last = now;
			memcpy(cursor, &record, sizeof(record));
			cursor += i & 1 ? 3 : 5;
			__asm__ volatile("" : : "r"(cursor) : "memory");
		}
		to = clock_read_pair();
		if (score_seconds_of(&from, &to) < best)
			best = score_seconds_of(&from, &to);
	}
	return best * 1e9 / CALIBRATION_PAIRS;
}

/* As measured in the run itself; imported runs have no measurement. */
static double recorded_pair_ns(const struct report *report, double fallback)
{
	for (size_t i = 0; i < report->loaded->tree_count; i++) {
		uint64_t cost_ps = report->loaded->trees[i]->recording->header.cost_enter_exit_ps;

		if (cost_ps > 0)
			return (double)cost_ps * 1e-3;
	}
	return fallback;
}

static const struct region *score_region_of(const struct score *score,
					    const struct flat_entry *entry)
{
	return score->view->regions->regions[entry->region];
}

static bool is_native(const struct score *score, const struct flat_entry *entry)
{
	return score_region_of(score, entry)->kind == KYMO_REGION_NATIVE;
}

static double cost_ns(const struct score *score, const struct flat_entry *entry)
{
	return (double)entry->calls *
	       (is_native(score, entry) ? score->native_ns : score->event_ns);
}

static uint64_t score_bytes_of(const struct score *score, const struct flat_entry *entry)
{
	return entry->calls * (is_native(score, entry) ? NATIVE_PAIR_BYTES : EVENT_PAIR_BYTES);
}

static bool is_marked(const struct score *score, const struct flat_entry *entry)
{
	return cost_ns(score, entry) * 100 > entry->visits_ns * COST_PERCENT &&
	       cost_ns(score, entry) * 100 > score->view->base.whole_ns * RUN_PERCENT;
}

static struct table_cell score_mark(const struct table_item *item)
{
	return table_text(is_marked(item->view, item->row) ? "+" : "-");
}

static struct table_cell score_per_call(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return table_ns(entry->visits_ns / (entry->calls ? (double)entry->calls : 1));
}

static struct table_cell score_cost(const struct table_item *item)
{
	return table_ns(cost_ns(item->view, item->row));
}

static struct table_cell score_cost_percent(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;
	struct table_cell cell = table_percent(cost_ns(item->view, entry), entry->visits_ns);

	cell.is_missing = entry->visits_ns <= 0;
	return cell;
}

static struct table_cell score_bytes(const struct table_item *item)
{
	return (struct table_cell){.count = score_bytes_of(item->view, item->row)};
}

#define SCORE_FIELD(member)  TABLE_FIELD(struct flat_entry, member)
#define SCORE_REGION(getter) TABLE_REGION(getter, struct flat_entry, region)

/* People see the bytes in the sum. */
static const struct table_column columns[] = {
	{"FLT", "filtered", TABLE_TEXT, TABLE_ALL, .get = score_mark},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, SCORE_FIELD(calls)},
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL, SCORE_FIELD(total_ns)},
	{"PER CALL", "per_call", TABLE_DURATION, TABLE_ALL, .get = score_per_call},
	{"TRACE COST", "trace_cost", TABLE_DURATION, TABLE_ALL, .get = score_cost},
	{"COST %", "cost_percent", TABLE_PERCENT, TABLE_ALL, .get = score_cost_percent},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, SCORE_REGION(table_get_region)},
	{"REGION", "region", TABLE_TEXT, TABLE_PROGRAMS, SCORE_REGION(table_get_name)},
	{"TRACE BYTES", "trace_bytes", TABLE_COUNT, TABLE_PROGRAMS, .get = score_bytes},
};

/* One word of a filter file, with special characters escaped. */
static void write_word(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (strchr("*?[]\\ #", *name))
			fputc('\\', out);
		fputc(*name, out);
	}
}

static enum kymo_status write_filter(const struct score *score, const struct table *table,
				     struct problem *problem)
{
	const char *path = score->report->options.filter_file;
	struct outfile file;
	enum kymo_status status;

	if (!path)
		return KYMO_OK;
	status = outfile_open_stream(&file, path, problem);
	if (status < 0)
		return status;
	fprintf(file.stream,
		"# Functions whose calls are too short to be traced one by one: 'kymo instrument\n"
		"# --filter-file' and KYMO_FUNCTIONS_FILTER_FILE take this file.\n"
		"SCOREP_REGION_NAMES_BEGIN\n");
	for (size_t i = 0; i < score->view->count; i++) {
		const struct flat_entry *entry = table_row(table, i);
		const struct region *region = score_region_of(score, entry);

		if (!is_native(score, entry) || !is_marked(score, entry) ||
		    region->name[strcspn(region->name, "\n\r\t")])
			continue;
		fputs("  EXCLUDE ", file.stream);
		write_word(file.stream, region->name);
		fputc('\n', file.stream);
	}
	fputs("SCOREP_REGION_NAMES_END\n", file.stream);
	return file.path ? outfile_commit(&file, problem) : KYMO_OK;
}

static void remark_sums(const struct score *score, const struct table *table)
{
	uint64_t calls = 0, bytes = 0, kept_calls = 0, kept_bytes = 0;
	double cost = 0, kept_cost = 0;

	for (size_t i = 0; i < score->view->count; i++) {
		const struct flat_entry *entry = table_row(table, i);

		calls += entry->calls;
		bytes += score_bytes_of(score, entry);
		cost += cost_ns(score, entry);
		if (is_marked(score, entry))
			continue;
		kept_calls += entry->calls;
		kept_bytes += score_bytes_of(score, entry);
		kept_cost += cost_ns(score, entry);
	}
	report_write_remark(score->report,
			    "A trace of all: %llu calls, %.3f s, %.1f MB; without those marked "
			    "'+': %llu calls, %.3f s, %.1f MB.",
			    (unsigned long long)calls, cost * 1e-9, (double)bytes * 1e-6,
			    (unsigned long long)kept_calls, kept_cost * 1e-9,
			    (double)kept_bytes * 1e-6);
}

static enum kymo_status score_write(const struct score *score, struct table *table,
				    struct problem *problem)
{
	const struct report *report = score->report;
	size_t count = score->view->count;

	table->row_count = report_row_count(report, count);
	report_write_table(report, table, "regions", true);
	report_remark_empty(report, count, 0, "region");
	report_remark_rest(report, count, "region");
	remark_sums(score, table);
	return write_filter(score, table, problem);
}

enum kymo_status report_score(const struct report *report, struct problem *problem)
{
	struct score score = {
		.texts.regions = report->regions, .report = report, .native_ns = measure_pair_ns()};
	struct table table = {TABLE_COLUMNS(columns), .view = &score};
	struct flat_view *view;
	enum kymo_status status;

	if (report->loaded->is_sampled)
		return problem_set(problem, KYMO_ERROR,
				   "--score counts calls, and this run has only samples: record it "
				   "with 'kymo instrument'");
	status = report_flat_view(report, &view, problem);
	if (status < 0)
		return status;
	/* Time outside regions has no calls. */
	view->count -= view->rest_count;
	view->rest_count = 0;
	score.view = view;
	score.event_ns = recorded_pair_ns(report, score.native_ns);
	report_flat_order(report, view, &table);
	status = score_write(&score, &table, problem);
	flat_view_free(view);
	return status;
}
