/* Section "run": what ran, for how long, and the overhead. */
#include "format/metric.h"
#include "model/profile/sample_shares.h"
#include "model/recording/recording_open.h"
#include "view/page_notes.h"
#include "view/page_out.h"

#define PAGE_FORMAT 1 /* of all sections; the viewer refuses others */

static double seconds_since_start(const struct page *page, const struct recording *recording)
{
	return (double)((int64_t)recording->header.start_realtime_ns -
			(int64_t)page->facts->start_realtime_ns) *
	       1e-9;
}

static void run_write_thread(struct json_writer *json, const struct recording *recording,
			     uint32_t number)
{
	const struct thread *thread = &recording->threads[number];
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;

	json_begin_object(json);
	json_pair_count(json, "number", number);
	json_pair_count(json, "id", thread->system_id);
	json_pair_text(json, "name", thread->name);
	json_pair_number(json, "start",
			 (double)recording_ns(recording, thread->start_ticks) * 1e-9);
	json_pair_number(json, "end", (double)recording_ns(recording, end) * 1e-9);
	json_pair_number(json, "cpu", (double)thread->cpu_ns * 1e-9);
	json_end_object(json);
}

static void run_write_process(const struct page *page, struct json_writer *json, size_t number)
{
	const struct recording *recording = page->loaded->trees[number]->recording;

	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "pid", recording->header.pid);
	json_pair_count(json, "parent", recording->header.parent_pid);
	json_pair_text(json, "program", recording_program(recording));
	json_key(json, "command");
	json_text_masked(json, recording_note(recording, KYMO_NOTE_INFO, "command"));
	json_pair_text(json, "host", recording_note(recording, KYMO_NOTE_INFO, "hostname"));
	json_pair_text(json, "rank", recording_note(recording, KYMO_NOTE_INFO, "rank"));
	json_pair_number(json, "start", seconds_since_start(page, recording));
	json_pair_number(json, "duration",
			 (double)recording_ns(recording, recording->end_ticks) * 1e-9);
	json_pair_bool(json, "is_closed", recording->is_closed);
	json_pair_number(json, "status", recording->header.exit_status);
	json_key(json, "threads");
	json_begin_array(json);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			run_write_thread(json, recording, i);
	}
	json_end_array(json);
	json_end_object(json);
}

/* The meaning of times of samples, and a sentence on the base of shares; nothing for calls. */
static void run_write_shares(const struct page *page, struct json_writer *json)
{
	struct sample_shares shares;
	char text[512];

	if (!page->loaded->is_sampled)
		return;
	sample_shares_of(page->loaded, &shares);
	sample_shares_text(&shares, text, sizeof(text));
	json_pair_bool(json, "is_of_cpu", shares.weight == SAMPLED_BY_CPU && shares.has_cpu);
	json_pair_text(json, "shares", text);
}

static void run_write_facts(const struct page *page, struct json_writer *json)
{
	const struct run_facts *facts = page->facts;
	bool is_known = run_facts_know_cost(facts);
	char samples[1024];

	sample_facts_text(&facts->samples, samples, sizeof(samples));
	json_pair_text(json, "program", facts->program);
	json_pair_number(json, "start", (double)facts->start_realtime_ns * 1e-6);
	json_pair_number(json, "duration", facts->duration_s);
	json_pair_count(json, "process_count", facts->process_count);
	json_pair_count(json, "thread_count", facts->thread_count);
	json_pair_count(json, "calls", facts->call_count);
	json_pair_number(json, "thread_time", facts->base.whole_ns * 1e-9);
	json_pair_number(json, "waiting", facts->waiting_s);
	json_pair_number(json, "cost", is_known ? facts->cost_s : -1);
	json_pair_number(json, "cost_percent", is_known ? facts->cost_percent : -1);
	if (facts->imported_from) {
		json_pair_text(json, "imported_from", facts->imported_from);
		json_pair_count(json, "imported_more", facts->imported_more);
	}
	json_pair_number(json, "sample_cost", facts->samples.cost_s);
	json_pair_number(json, "startup", facts->startup_s);
	json_pair_text(json, "samples", samples);
	run_write_shares(page, json);
	json_key(json, "losses");
	json_begin_array(json);
	for (size_t i = 0; i < facts->loss_count; i++)
		json_text(json, facts->losses[i]);
	json_end_array(json);
}

static void run_write(const struct page *page, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "run");
	bool has_trace = false;

	for (size_t i = 0; i < page->loaded->tree_count; i++)
		has_trace |= recording_has_trace(page->loaded->trees[i]->recording);
	json_begin_object(json);
	json_pair_count(json, "format", PAGE_FORMAT);
	json_pair_text(json, "kymo", KYMO_VERSION);
	json_pair_bool(json, "is_served", page->options.is_served);
	json_pair_bool(json, "is_sampled", page->loaded->is_sampled);
	json_pair_bool(json, "has_samples", page->loaded->has_samples);
	json_pair_bool(json, "has_trace", has_trace);
	json_pair_count(json, "estimated_functions", page->facts->estimated_count);
	json_pair_count(json, "position_count", page->facts->position_count);
	json_pair_bool(json, "has_positions", page->facts->has_positions);
	run_write_facts(page, json);
	json_key(json, "processes");
	json_begin_array(json);
	for (size_t i = 0; i < page->loaded->tree_count; i++)
		run_write_process(page, json, i);
	json_end_array(json);
	json_end_object(json);
	page_json_end(out);
}

const struct page_section page_run_section = {.write = run_write};
