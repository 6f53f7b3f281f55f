/* A comparison for programs: both sides, the rows and the conditions, numbers as measured. */
#include "report/diff/report_diff_json.h"

#include <math.h>

#include "model/compare/diff_make.h"
#include "report/tables/table_json.h"
#include "text/json_writer.h"

static void json_write_side(const struct diff_runs *side, const char *key, struct json_writer *json)
{
	json_line(json);
	json_key(json, key);
	json_begin_object(json);
	json_key(json, "paths");
	json_begin_array(json);
	for (size_t i = 0; i < side->loaded_count; i++)
		json_text(json, side->runs[i]->run->path);
	json_end_array(json);
	json_pair_text(json, "program", side->facts[0]->program);
	json_pair_count(json, "runs", side->run_count);
	json_pair_bool(json, "is_sampled", side->is_sampled);
	json_pair_number(json, "duration", side->duration.mean * 1e-9);
	json_pair_number(json, "duration_deviation", moments_deviation(&side->duration) * 1e-9);
	json_pair_number(json, "self", side->self.mean * 1e-9);
	json_pair_number(json, "calls", side->count.mean);
	json_pair_number(json, "base", diff_runs_whole_ns(side) * 1e-9);
	json_pair_number(json, "outside", diff_runs_outside_ns(side) * 1e-9);
	if (side->cost_percent >= 0)
		json_pair_number(json, "measuring_percent", side->cost_percent);
	json_end_object(json);
}

static void write_difference(const struct diff *diff, struct json_writer *json)
{
	const struct moments *before = &diff->side[DIFF_BEFORE].duration;
	const struct moments *after = &diff->side[DIFF_AFTER].duration;

	json_line(json);
	json_key(json, "difference");
	json_begin_object(json);
	json_pair_number(json, "duration", (after->mean - before->mean) * 1e-9);
	json_pair_number(json, "percent", diff_percent(before->mean, after->mean));
	json_pair_number(json, "p", welch_test(before, after).p);
	json_end_object(json);
}

static double json_scale_of(const struct diff_condition *condition)
{
	return condition->has_measure && condition->measure != DIFF_COUNT ? 1e-9 : 1;
}

static void json_write_finding(const struct diff_finding *finding, struct json_writer *json)
{
	double scale = json_scale_of(finding->condition);
	char name[REPORT_NAME_MAX];

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "condition", finding->condition->text);
	if (finding->region)
		region_name(diff_region_shown(finding->region), name, sizeof(name));
	json_pair_text(json, "region", finding->region ? name : NULL);
	json_pair_number(json, "before", finding->before * scale);
	json_pair_number(json, "after", finding->after * scale);
	json_pair_number(json, "difference", (finding->after - finding->before) * scale);
	json_pair_number(json, "percent", diff_percent(finding->before, finding->after));
	json_pair_number(json, "p", finding->p);
	json_pair_number(json, "p_corrected", finding->p_corrected);
	json_pair_bool(json, "holds", finding->holds);
	json_pair_bool(json, "failed", finding->is_failure);
	json_pair_bool(json, "undecided", finding->is_undecided);
	json_end_object(json);
}

static void json_write_findings(const struct diff_findings *findings, struct json_writer *json)
{
	json_line(json);
	json_key(json, "conditions");
	json_begin_array(json);
	for (size_t i = 0; findings && i < findings->count; i++)
		json_write_finding(&findings->findings[i], json);
	json_end_array(json);
}

void report_diff_json(const struct diff_report *report, const struct diff_view *view)
{
	const struct diff *diff = report->diff;
	struct json_writer json = {.out = report->out};

	json_begin_object(&json);
	json_write_side(&diff->side[DIFF_BEFORE], "before", &json);
	json_write_side(&diff->side[DIFF_AFTER], "after", &json);
	write_difference(diff, &json);
	json_pair_text(&json, "warning", diff->warning);
	json_pair_bool(&json, "has_tests", view->has_tests);
	json_pair_number(&json, "noise_percent", diff->noise_percent);
	json_pair_count(&json, "more", view->more_count);
	json_write_findings(report->findings, &json);
	json_line(&json);
	json_key(&json, view->key);
	table_write_json(&view->table, &json);
	json_end_object(&json);
	putc('\n', report->out);
}
