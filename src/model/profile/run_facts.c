/* The facts about a run: durations, the cost model, and losses as lines of text.
 *
 * Cost = calls x the cost of one enter and exit, calibrated in the process itself, plus C calls
 * and resumed generators likewise, plus what the sampler has measured, plus the start of the
 * runtime. */
#include "model/profile/run_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/functions/estimates_text.h"
#include "model/functions/functions.h"
#include "model/functions/measuring.h"
#include "model/functions/short_calls.h"
#include "model/functions/throttled_calls.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree_cost.h"
#include "model/profile/unmatched_files.h"
#include "text/quantity.h"

struct loss { /* the same loss in one or several processes is one line */
	char *text;
	uint64_t amount; /* printed before the text, 0 = none */
	/* The last recordings of processes that had it: one that called exec left several. */
	const struct recording **processes;
	size_t process_count, process_capacity;
	uint32_t first_pid;
};

struct loss_list {
	struct loss *losses;
	size_t count, capacity;
	uint32_t pid; /* current process */
	const struct recording *process;
	bool has_failed;
};

static struct loss *loss_for(struct loss_list *list, const char *text)
{
	struct loss *grown;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->losses[i].text, text) == 0)
			return &list->losses[i];
	}
	grown = array_grow(list->losses, &list->capacity, list->count + 1, sizeof(*list->losses));
	if (!grown)
		return NULL;
	list->losses = grown;
	grown[list->count] = (struct loss){.text = strdup(text), .first_pid = list->pid};
	return grown[list->count].text ? &grown[list->count++] : NULL;
}

static bool add_process_of(struct loss *loss, const struct recording *process)
{
	const struct recording **grown;

	for (size_t i = 0; i < loss->process_count; i++)
		if (loss->processes[i] == process)
			return true;
	grown = array_grow(loss->processes, &loss->process_capacity, loss->process_count + 1,
			   sizeof(*grown));
	if (!grown)
		return false;
	loss->processes = grown;
	grown[loss->process_count++] = process;
	return true;
}

static void add_loss(struct loss_list *list, uint64_t amount, const char *text)
{
	struct loss *loss = loss_for(list, text);

	if (!loss) {
		list->has_failed = true;
		return;
	}
	loss->amount += amount;
	if (!add_process_of(loss, list->process))
		list->has_failed = true;
}

static void add_counted_loss(struct loss_list *list, uint64_t count, const char *text)
{
	if (count > 0)
		add_loss(list, count, text);
}

static void add_header_losses(struct loss_list *list, const struct kymo_header *header)
{
	char size[QUANTITY_MAX], line[256];

	if (header->refused_chunks > 0) {
		snprintf(line, sizeof(line),
			 "no space for %s of data; raise the limit or free disk",
			 quantity_bytes((double)header->refused_bytes, size));
		add_loss(list, 0, line);
	}
	add_counted_loss(list, header->lost_events, "events could not be recorded");
	add_counted_loss(list, header->stack_aside_count,
			 "times too deep for frame evaluation; calls below were not recorded");
}

static void add_thread_losses(struct loss_list *list, const struct recording *recording)
{
	uint64_t lost = 0, folded = 0, resynced = 0, misused = 0, never_ended = 0;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		lost += recording->threads[i].lost_events;
		folded += recording->threads[i].folded;
		resynced += recording->threads[i].resynced;
		misused += recording->threads[i].misused_ends;
		never_ended += recording->threads[i].never_ended;
	}
	add_counted_loss(list, lost, "calls could not be recorded");
	add_counted_loss(list, folded, "calls beyond the depth or path limit are folded");
	add_counted_loss(list, resynced, "returns did not match the open call");
	add_counted_loss(list, misused,
			 "ends of annotated regions that were not open or not the innermost");
	add_counted_loss(list, never_ended, "annotated regions were never ended");
}

/* A note that begins with a number is added up over processes to one line. */
static void add_note(struct loss_list *list, const char *text)
{
	char *rest = (char *)text;
	uint64_t amount = *text >= '1' && *text <= '9' ? strtoull(text, &rest, 10) : 0;
	bool is_amount = amount > 0 && *rest == ' ' && strncmp(rest, " of ", 4) != 0;

	add_loss(list, is_amount ? amount : 0, is_amount ? rest + 1 : text);
}

static void add_noted_losses(struct loss_list *list, const struct recording *recording)
{
	char text[1024];

	if (throttled_calls_text(recording, text, sizeof(text)))
		add_loss(list, 0, text);
	if (throttled_calls_over_budget(recording, text, sizeof(text)))
		add_loss(list, 0, text);
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_LOSS || note->kind == KYMO_NOTE_WARNING)
			add_note(list, note->value);
	}
	for (size_t i = 0; i < recording->problem_count; i++)
		add_loss(list, 0, recording->problems[i]);
}

static void add_state_losses(struct loss_list *list, const struct recording *recording,
			     size_t open_count)
{
	if (!recording->is_closed && recording->header.state != KYMO_STATE_ABANDONED)
		add_loss(list, 0, "recording not closed: killed, left by _exit, or still running");
	/* If the recording has the time at which the program was replaced, its times are
	 * correct. */
	if (recording->header.state == KYMO_STATE_ABANDONED && recording->header.end_ticks != 0)
		return;
	add_counted_loss(list, open_count, "regions were open; their time counts up to the end");
}

static bool write_loss(struct run_facts *facts, const struct loss *loss)
{
	char process[64] = "", amount[QUANTITY_MAX] = "";

	if (loss->process_count > 1)
		snprintf(process, sizeof(process), "%zu processes: ", loss->process_count);
	else if (facts->process_count > 1 && loss->first_pid) /* 0: many, merged */
		snprintf(process, sizeof(process), "process %u: ", loss->first_pid);
	if (loss->amount > 0)
		quantity_count(loss->amount, amount);
	return lines_add(&facts->losses, &facts->loss_count, "%s%s%s%s", process, amount,
			 *amount ? " " : "", loss->text);
}

/* Convert the list to lines and release it. */
static bool facts_write_losses(struct run_facts *facts, struct loss_list *list)
{
	bool is_complete = !list->has_failed;

	for (size_t i = 0; i < list->count; i++) {
		is_complete = is_complete && write_loss(facts, &list->losses[i]);
		free(list->losses[i].text);
		free(list->losses[i].processes);
	}
	free(list->losses);
	return is_complete;
}

static size_t count_open(const struct calltree *tree)
{
	size_t count = 0;

	for (uint32_t i = 0; i < tree->node_count; i++)
		count += tree->nodes[i].is_open && tree->nodes[i].depth > 0;
	return count;
}

static double facts_duration_of(const struct recording *recording)
{
	return (double)recording_ns(recording, recording->end_ticks) * 1e-9;
}

/* Calls that wait have the address of the object as argument; their callees do not count as
 * waits. */
static void add_waiting(struct run_facts *facts, const struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		const struct region *region = &tree->recording->regions[node->region];

		if (node->depth > 0 && region->kind == KYMO_REGION_PTHREAD &&
		    region->flags & KYMO_REGION_OBJECT)
			facts->waiting_s += node->self_ns * 1e-9;
	}
}

static void facts_add_cost(struct run_facts *facts, const struct calltree *tree)
{
	const struct kymo_header *header = &tree->recording->header;
	const struct functions *functions = tree->recording->functions;
	uint64_t other_calls = tree->call_count - tree->c_call_count - tree->resume_count -
			       tree->function_call_count;

	facts->cost_s += (double)other_calls * (double)header->cost_enter_exit_ps * 1e-12;
	facts->cost_s += (double)tree->resume_count * (double)measuring_resume_ps(header) * 1e-12;
	facts->cost_s += (double)tree->c_call_count * (double)header->cost_c_call_ps * 1e-12;
	facts->is_calibrated |= header->cost_enter_exit_ps > 0;
	if (!tree->function_call_count)
		return;
	facts->cost_s += calltree_functions_cost_ns(tree) * 1e-9;
	facts->is_calibrated |= functions->cost_ps > 0;
	facts->has_unknown_cost |= functions->cost_ps == 0;
}

/* The file that a recording was imported from; NULL = Kymo recorded it.  Of a merge of several it
 * is known that they were imported, not which is which. */
static const char *imported_from(const struct recording *recording)
{
	const char *file = recording_note(recording, KYMO_NOTE_INFO, "imported from");

	if (file)
		return file;
	if (recording_note(recording, KYMO_NOTE_VARIES, "imported from"))
		return "files of other tools";
	return NULL;
}

static bool is_of_file(const struct loaded_run *loaded, size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++) {
		const char *other = imported_from(loaded->trees[i]->recording);

		if (other && strcmp(other, file) == 0)
			return true;
	}
	return false;
}

static void facts_find_imports(struct run_facts *facts, const struct loaded_run *loaded)
{
	size_t file_count = 0;

	facts->is_imported = !facts->is_calibrated;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const char *file = imported_from(loaded->trees[i]->recording);

		if (!file)
			facts->is_imported = false;
		else if (!facts->imported_from)
			facts->imported_from = file;
		file_count += file && !is_of_file(loaded, i, file);
	}
	facts->imported_more = file_count > 0 ? file_count - 1 : 0;
}

static void facts_add_own(struct run_facts *facts, const struct calltree *tree)
{
	const struct kymo_header *header = &tree->recording->header;
	uint64_t startup_ns =
		header->startup_cpu_ns > 0 ? header->startup_cpu_ns : header->startup_ns;

	facts->startup_s += (double)startup_ns * 1e-9;
	facts->opening_s += (double)header->opening_ns * 1e-9;
	facts->closing_s += (double)header->closing_cpu_ns * 1e-9;
	facts->coarse_late_s += (double)header->coarse_late_ns * 1e-9;
	facts->beside_s += (double)(header->beside_cpu_ns + header->survey.cpu_ns) * 1e-9;
}

static void facts_add_positions(struct run_facts *facts, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	double tick_s = recording_tick_ns(recording) * 1e-9;

	facts->has_positions |= estimates_have_positions(recording);
	for (uint32_t i = 0; tree->positions && i < recording->thread_count; i++) {
		facts->position_count += tree->positions[i].count;
		facts->position_s += (double)tree->positions[i].ticks * tick_s;
	}
}

static void facts_add_process(struct run_facts *facts, const struct calltree *tree,
			      struct loss_list *losses)
{
	const struct recording *recording = tree->recording;
	size_t open_count =
		recording->is_closed || tree->effective_count > 0 ? 0 : count_open(tree);

	if (recording->part_count == 0) {
		for (uint32_t i = 0; i < recording->thread_count; i++)
			facts->thread_count += recording->threads[i].is_present;
		facts->process_duration_s += facts_duration_of(recording);
	}
	facts->open_count += open_count;
	facts->estimated_count += tree->estimated_functions;
	facts_add_positions(facts, tree);
	facts_add_own(facts, tree);
	if (tree->effective_count <= 0) {
		facts->call_count += tree->call_count;
		facts->c_call_count += tree->c_call_count;
		facts_add_cost(facts, tree);
		facts->taken_out_s += tree->measuring_ns * 1e-9;
		facts->preempted_s += tree->off_ns * 1e-9;
		facts->short_calls_s += short_calls_ns(tree) * 1e-9;
		add_waiting(facts, tree);
	}
	losses->pid = recording->header.pid;
	add_counted_loss(losses, tree->impossible_count,
			 "measured values are invalid and were replaced by 0");
	if (recording->functions)
		add_counted_loss(losses, tree->dropped_count,
				 "records of functions are inconsistent and were left out");
	add_state_losses(losses, recording, open_count);
	add_header_losses(losses, &recording->header);
	add_thread_losses(losses, recording);
	add_noted_losses(losses, recording);
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
		double end = (double)offset * 1e-9 + facts_duration_of(recording);

		if (end_s < end)
			end_s = end;
	}
	facts->duration_s = end_s;
}

static bool facts_is_later(const struct recording *recording, const struct recording *than)
{
	return recording->header.start_realtime_ns > than->header.start_realtime_ns;
}

/* The last recording of a process; each exec ends one. */
static const struct recording *last_of_process(const struct loaded_run *loaded,
					       const struct recording *recording)
{
	const struct recording *last = recording;

	if (recording->header.state != KYMO_STATE_ABANDONED)
		return recording;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const struct recording *other = loaded->trees[i]->recording;

		if (other->header.pid == recording->header.pid && facts_is_later(other, last))
			last = other;
	}
	return last;
}

static bool is_same_process(const struct recording_part *a, const struct recording_part *b)
{
	return a->pid == b->pid && a->start_realtime_ns == b->start_realtime_ns &&
	       memcmp(a->run_id, b->run_id, sizeof(a->run_id)) == 0;
}

/* In a merged recording the threads of a process are adjacent.  If its duration was not recorded,
 * the longest of them is used. */
static void facts_add_merged(struct run_facts *facts, const struct recording *recording)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < recording->part_count; i++) {
		const struct recording_part *part = &recording->parts[i];
		bool is_last = i + 1 == recording->part_count || !is_same_process(part, part + 1);

		if (part->duration_ns > longest)
			longest = part->duration_ns;
		if (part->process_ns > longest)
			longest = part->process_ns;
		if (!is_last)
			continue;
		facts->process_count++;
		facts->process_duration_s += (double)longest * 1e-9;
		longest = 0;
	}
	facts->thread_count += recording->part_count;
}

static void count_processes(struct run_facts *facts, const struct loaded_run *loaded)
{
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const struct recording *recording = loaded->trees[i]->recording;

		if (recording->part_count > 0)
			facts_add_merged(facts, recording);
		else
			facts->process_count += last_of_process(loaded, recording) == recording;
	}
}

static void add_unmatched(const char *line, void *context)
{
	struct loss_list *list = context;

	list->pid = 0;
	list->process = NULL;
	add_loss(list, 0, line);
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
	struct loss_list losses = {0};
	bool is_complete;

	if (!facts)
		return KYMO_MEMORY;
	facts->program = recording_program(last_of_process(loaded, loaded->trees[0]->recording));
	facts->pid = loaded->trees[0]->recording->header.pid;
	count_processes(facts, loaded);
	measure_span(facts, loaded);
	facts->base = time_base_of(loaded->trees, loaded->tree_count, KYMO_NO_THREAD);
	for (size_t i = 0; i < loaded->tree_count; i++) {
		losses.process = last_of_process(loaded, loaded->trees[i]->recording);
		facts_add_process(facts, loaded->trees[i], &losses);
	}
	unmatched_files_each(loaded, add_unmatched, &losses);
	facts_find_imports(facts, loaded);
	for (size_t i = 0; i < loaded->tree_count; i++) {
		if (loaded_samples(loaded, i))
			sample_facts_add(&facts->samples, loaded_samples(loaded, i));
		else
			sample_facts_add_tree(&facts->samples, loaded->trees[i]);
	}
	add_counted_loss(&losses, facts->samples.lost, "samples were lost");
	is_complete = facts_write_losses(facts, &losses) &&
		      add_problems(facts, loaded->run->problems, loaded->run->problem_count) &&
		      add_problems(facts, loaded->problems, loaded->problem_count);
	if (facts->process_duration_s > 0)
		facts->cost_percent = 100 * run_facts_cost_s(facts) /
				      (facts->process_duration_s + facts->opening_s);
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

double run_facts_cost_s(const struct run_facts *facts)
{
	return facts->cost_s + facts->samples.cost_s + facts->startup_s + facts->beside_s;
}

bool run_facts_know_cost(const struct run_facts *facts)
{
	return !facts->is_imported && !facts->has_unknown_cost &&
	       (facts->is_calibrated || facts->call_count == 0);
}
