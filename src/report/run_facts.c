/* The facts about a run: durations, the cost model, and losses as lines of text.
 *
 * Cost = calls x the cost of one enter and exit, calibrated in the process itself, plus
 * C calls likewise, plus the start of the runtime. */
#include "report/run_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/quantity.h"

/* ---- losses ------------------------------------------------------------------- */

struct loss_list {
	struct run_facts *facts;
	const struct recording *recording;
	bool names_process; /* several processes: lines say which */
	bool has_failed;
};

static void add_loss(struct loss_list *list, const char *text)
{
	struct run_facts *facts = list->facts;
	bool is_added;

	if (list->names_process)
		is_added = lines_add(&facts->losses, &facts->loss_count, "process %u: %s",
				     list->recording->header.pid, text);
	else
		is_added = lines_add(&facts->losses, &facts->loss_count, "%s", text);
	list->has_failed |= !is_added;
}

static void add_counted_loss(struct loss_list *list, uint64_t count, const char *text)
{
	char number[QUANTITY_MAX], line[256];

	if (count == 0)
		return;
	snprintf(line, sizeof(line), "%s %s", quantity_count(count, number), text);
	add_loss(list, line);
}

static void add_header_losses(struct loss_list *list)
{
	const struct kymo_header *header = &list->recording->header;
	char size[QUANTITY_MAX], line[256];

	if (header->refused_chunks > 0) {
		snprintf(line, sizeof(line),
			 "no space for %s of data; raise the limit or free disk",
			 quantity_bytes((double)header->refused_bytes, size));
		add_loss(list, line);
	}
	add_counted_loss(list, header->lost_events, "events could not be recorded");
	add_counted_loss(list, header->stack_aside_count,
			 "times too deep for frame evaluation; calls below were not recorded");
}

static void add_thread_losses(struct loss_list *list)
{
	uint64_t lost = 0, folded = 0, resynced = 0;

	for (uint32_t i = 0; i < list->recording->thread_count; i++) {
		lost += list->recording->threads[i].lost_events;
		folded += list->recording->threads[i].folded;
		resynced += list->recording->threads[i].resynced;
	}
	add_counted_loss(list, lost, "calls could not be recorded");
	add_counted_loss(list, folded, "calls beyond the depth or path limit are folded");
	add_counted_loss(list, resynced, "returns did not match the open call");
}

static void add_noted_losses(struct loss_list *list)
{
	const struct recording *recording = list->recording;

	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_LOSS || note->kind == KYMO_NOTE_WARNING)
			add_loss(list, note->value);
	}
	for (size_t i = 0; i < recording->problem_count; i++)
		add_loss(list, recording->problems[i]);
}

static void add_state_loss(struct loss_list *list, size_t open_count)
{
	char line[256];

	if (list->recording->is_closed || list->recording->header.state == KYMO_STATE_ABANDONED)
		return;
	snprintf(line, sizeof(line),
		 "did not close its recording (running, killed or left by _exit); %zu regions open",
		 open_count);
	if (list->names_process)
		add_loss(list, line);
	else if (!lines_add(&list->facts->losses, &list->facts->loss_count, "the program %s", line))
		list->has_failed = true;
}

/* ---- facts ---------------------------------------------------------------------- */

static size_t count_open(const struct calltree *tree)
{
	size_t count = 0;

	for (uint32_t i = 0; i < tree->node_count; i++)
		count += tree->nodes[i].is_open && tree->nodes[i].depth > 0;
	return count;
}

static double duration_of(const struct recording *recording)
{
	return (double)recording_ns(recording, recording->end_ticks) * 1e-9;
}

static void add_cost(struct run_facts *facts, const struct calltree *tree)
{
	const struct kymo_header *header = &tree->recording->header;
	uint64_t other_calls = tree->call_count - tree->c_call_count;

	facts->cost_s += (double)other_calls * (double)header->cost_enter_exit_ps * 1e-12;
	facts->cost_s += (double)tree->c_call_count * (double)header->cost_c_call_ps * 1e-12;
	facts->startup_s += (double)header->startup_ns * 1e-9;
	facts->is_calibrated |= header->cost_enter_exit_ps > 0;
}

static bool add_process(struct run_facts *facts, const struct loaded_run *loaded, size_t index)
{
	const struct calltree *tree = loaded->trees[index];
	const struct recording *recording = tree->recording;
	struct loss_list list = {
		.facts = facts,
		.recording = recording,
		.names_process = loaded->tree_count > 1,
	};
	size_t open_count = recording->is_closed ? 0 : count_open(tree);

	for (uint32_t i = 0; i < recording->thread_count; i++)
		facts->thread_count += recording->threads[i].is_present;
	facts->call_count += tree->call_count;
	facts->c_call_count += tree->c_call_count;
	facts->process_duration_s += duration_of(recording);
	facts->open_count += open_count;
	add_cost(facts, tree);
	add_state_loss(&list, open_count);
	add_header_losses(&list);
	add_thread_losses(&list);
	add_noted_losses(&list);
	return !list.has_failed;
}

static void measure_span(struct run_facts *facts, const struct loaded_run *loaded)
{
	double end_s = 0;

	facts->start_realtime_ns = loaded->trees[0]->recording->header.start_realtime_ns;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		uint64_t start = loaded->trees[i]->recording->header.start_realtime_ns;

		if (start < facts->start_realtime_ns)
			facts->start_realtime_ns = start;
	}
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const struct recording *recording = loaded->trees[i]->recording;
		uint64_t offset = recording->header.start_realtime_ns - facts->start_realtime_ns;
		double end = (double)offset * 1e-9 + duration_of(recording);

		if (end_s < end)
			end_s = end;
	}
	facts->duration_s = end_s;
}

static bool add_problems(struct run_facts *facts, char *const *problems, size_t count)
{
	bool is_complete = true;

	for (size_t i = 0; i < count; i++)
		is_complete &= lines_add(&facts->losses, &facts->loss_count, "%s", problems[i]);
	return is_complete;
}

enum kymo_status run_facts_new(const struct loaded_run *loaded, struct run_facts **out)
{
	struct run_facts *facts = calloc(1, sizeof(*facts));
	bool is_complete = facts != NULL;

	if (!facts)
		return KYMO_MEMORY;
	facts->program = recording_program(loaded->trees[0]->recording);
	facts->pid = loaded->trees[0]->recording->header.pid;
	facts->process_count = loaded->tree_count;
	measure_span(facts, loaded);
	for (size_t i = 0; is_complete && i < loaded->tree_count; i++)
		is_complete = add_process(facts, loaded, i);
	is_complete = is_complete &&
		      add_problems(facts, loaded->run->problems, loaded->run->problem_count) &&
		      add_problems(facts, loaded->problems, loaded->problem_count);
	if (facts->process_duration_s > 0)
		facts->cost_percent =
			100 * (facts->cost_s + facts->startup_s) / facts->process_duration_s;
	if (!is_complete) {
		run_facts_free(facts);
		return KYMO_MEMORY;
	}
	*out = facts;
	return KYMO_OK;
}

void run_facts_free(struct run_facts *facts)
{
	if (!facts)
		return;
	lines_free(facts->losses, facts->loss_count);
	free(facts);
}
