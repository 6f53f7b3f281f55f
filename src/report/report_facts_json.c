/* The facts of a report for programs. */
#include "report/report_facts_json.h"

#include "model/profile/sample_shares.h"
#include "report/report.h"
#include "report/tables/facts_json.h"

static void write_base_json(const struct report *report, struct json_writer *json)
{
	struct time_base base = time_base_of(report->loaded->trees, report->loaded->tree_count,
					     report->options.thread);

	json_key(json, "base");
	json_begin_object(json);
	json_pair_number(json, "time", base.whole_ns * 1e-9);
	json_pair_number(json, "regions", base.regions_ns * 1e-9);
	json_pair_number(json, "outside", base.outside_ns * 1e-9);
	json_pair_number(json, "measuring", base.measuring_ns * 1e-9);
	json_pair_count(json, "threads", base.thread_count);
	json_end_object(json);
}

static void write_shares_json(const struct report *report, struct json_writer *json)
{
	static const char *const words[] = {"wall", "cpu", "events"};
	struct sample_shares shares;

	if (!report->loaded->is_sampled)
		return;
	sample_shares_of(report->loaded, &shares);
	json_pair_text(json, "weighed_by", words[shares.weight]);
	json_pair_number(json, "on_processors", shares.cpu_s);
	json_pair_number(json, "waited", shares.waiting_s);
	json_pair_count(json, "idle_threads", shares.idle_thread_count);
}

void report_write_facts_json(const struct report *report, struct json_writer *json)
{
	const struct run_facts *facts = report->facts;

	json_pair_text(json, "program", facts->program);
	json_pair_count(json, "pid", facts->pid);
	json_pair_number(json, "start", (double)facts->start_realtime_ns * 1e-9);
	json_pair_number(json, "duration", facts->duration_s);
	json_pair_count(json, "processes", facts->process_count);
	json_pair_count(json, "threads", facts->thread_count);
	write_base_json(report, json);
	json_pair_number(json, "waiting", facts->waiting_s);
	json_pair_count(json, "calls", facts->call_count);
	if (facts->has_positions) {
		json_pair_text(json, "timing", "sampled");
		json_pair_count(json, "positions", facts->position_count);
	}
	if (facts->estimated_count > 0)
		json_pair_count(json, "estimated_functions", facts->estimated_count);
	if (facts->samples.count > 0)
		json_pair_count(json, "samples", facts->samples.count);
	write_shares_json(report, json);
	if (facts->imported_from)
		json_pair_text(json, "imported_from", facts->imported_from);
	report_write_measuring(facts, json);
}
