/* Overhead and losses as JSON. */
#include "report/tables/facts_json.h"

void report_write_measuring(const struct run_facts *facts, struct json_writer *json)
{
	json_key(json, "measuring");
	json_begin_object(json);
	json_pair_bool(json, "is_calibrated", facts->is_calibrated);
	json_pair_number(json, "calls", facts->cost_s);
	json_pair_number(json, "taken_out", facts->taken_out_s);
	json_pair_number(json, "preempted", facts->preempted_s);
	json_pair_number(json, "coarse_late", facts->coarse_late_s);
	json_pair_number(json, "short_calls", facts->short_calls_s);
	if (facts->samples.count > 0)
		json_pair_number(json, "samples", facts->samples.cost_s);
	json_pair_number(json, "startup", facts->startup_s);
	json_pair_number(json, "closing", facts->closing_s);
	json_pair_number(json, "beside", facts->beside_s);
	json_pair_number(json, "percent", facts->cost_percent);
	json_end_object(json);
	json_key(json, "losses");
	json_begin_array(json);
	for (size_t i = 0; i < facts->loss_count; i++)
		json_text(json, facts->losses[i]);
	json_end_array(json);
}
