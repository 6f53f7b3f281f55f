/* The state of a merge, and its end. */
#include "merge/merge_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/inputs/merge_problem.h"
#include "merge/merge_join_nodes.h"

void merge_state_init(struct merge_state *state, const char *directory, uint64_t memory_limit)
{
	*state = (struct merge_state){.memory_limit = memory_limit};
	merge_tree_init(&state->tree);
	merge_spill_init(&state->spill, directory);
	merge_totals_init(&state->totals);
}

void merge_state_release(struct merge_state *state)
{
	merge_tree_release(&state->tree);
	merge_spill_release(&state->spill);
	merge_parts_release(&state->parts);
	merge_notes_release(&state->notes);
	merge_estimates_release(&state->estimates);
	symbols_free(state->symbols);
	free(state->open);
	free(state->sums);
	free(state->touched);
	*state = (struct merge_state){0};
}

bool merge_state_is_full(const struct merge_state *state)
{
	uint64_t bytes = merge_tree_bytes(&state->tree) + merge_parts_bytes(&state->parts);

	return state->tree.node_count > 0 && bytes > state->memory_limit;
}

enum kymo_status merge_state_spill(struct merge_state *state, struct problem *problem)
{
	uint32_t *rank = NULL, ids[KYMO_METRICS_MAX], count = state->tree.metric_count;
	enum kymo_status status;

	memcpy(ids, state->tree.metric_ids, sizeof(ids));
	status = merge_spill_tree(&state->spill, &state->tree, &rank, problem);
	/* It may be in the middle of a recording, whose metrics already have columns. */
	memcpy(state->tree.metric_ids, ids, sizeof(ids));
	state->tree.metric_count = count;
	if (status == KYMO_OK)
		status = merge_parts_flush(&state->parts, &state->spill, rank, problem);
	free(rank);
	return status;
}

/* Ratios and values derived from two sums cannot be added up. */
static bool adds_up(uint32_t id)
{
	return id != KYMO_METRIC_COUNT && id != KYMO_METRIC_CPU_UTIL &&
	       id != KYMO_METRIC_THREAD_CPU_UTIL && id != KYMO_METRIC_PROCESS_CPU_UTIL &&
	       id != KYMO_METRIC_SAMPLING_PERCENT;
}

static enum kymo_status find_column(struct merge_state *state, uint32_t id, uint32_t *column_out,
				    struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	uint32_t column;

	*column_out = KYMO_METRICS_MAX;
	if (!adds_up(id))
		return KYMO_OK;
	column = merge_tree_metric(&state->tree, id);
	if (column == state->tree.metric_count) { /* a tree has the metrics it began with */
		status = merge_state_spill(state, problem);
		if (state->tree.metric_count == KYMO_METRICS_MAX)
			state->tree.metric_count = 0;
		column = merge_tree_metric(&state->tree, id);
	}
	*column_out = column;
	return status;
}

enum kymo_status merge_state_metrics(struct merge_state *state, const uint32_t *ids, uint32_t count,
				     uint32_t *columns_out, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	/* Twice: those before the last new one may have been spilled with a tree. */
	for (uint32_t k = 0; k < 2 * count && status == KYMO_OK; k++)
		status = find_column(state, ids[k % count], &columns_out[k % count], problem);
	return status;
}

static void state_write_words(const struct merge_state *state, struct recording_writer *maker,
			      uint64_t process_count)
{
	const struct merge_totals *totals = &state->totals;
	char text[160];

	snprintf(text, sizeof(text),
		 "%" PRIu64 " process%s; traces, series and the times of samples are only in what "
		 "was merged",
		 process_count, process_count == 1 ? "" : "es");
	recording_writer_note(maker, KYMO_NOTE_INFO, MERGE_NOTE, text);
	if (totals->lost_samples) {
		snprintf(text, sizeof(text), "%" PRIu64 " samples were lost", totals->lost_samples);
		recording_writer_note(maker, KYMO_NOTE_LOSS, MERGE_NOTE, text);
	}
	if (!totals->left_out)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " process%s with samples but no calls left out: samples and calls do "
		 "not add up",
		 totals->left_out, totals->left_out == 1 ? "" : "es");
	recording_writer_note(maker, KYMO_NOTE_LOSS, MERGE_NOTE, text);
}

static void state_write_notes(struct merge_state *state, struct recording_writer *maker,
			      bool is_sampled, uint64_t process_count)
{
	char *programs = merge_parts_programs(&state->parts);

	if (programs)
		recording_writer_note(maker, KYMO_NOTE_INFO, "program", programs);
	free(programs);
	if (state->has_others)
		recording_writer_note(maker, KYMO_NOTE_INFO, RECORDING_OTHERS_NOTE, "yes");
	state_write_words(state, maker, process_count);
	merge_totals_write(&state->totals, maker, is_sampled);
	merge_notes_write(&state->notes, maker, process_count);
}

static enum kymo_status write_contents(struct merge_state *state, struct merge_joined *joined,
				       bool is_sampled, struct problem *problem)
{
	uint64_t process_count = merge_parts_process_count(&state->parts, problem);
	merge_natural other_calls;
	enum kymo_status status;

	if (!process_count && state->parts.count)
		return KYMO_MEMORY;
	state_write_notes(state, joined->maker, is_sampled, process_count);
	status = merge_join_regions(joined, &state->spill, problem);
	if (status == KYMO_OK)
		status = merge_join_nodes(joined, problem);
	if (status == KYMO_OK)
		merge_estimates_write(&state->estimates, joined);
	if (status == KYMO_OK)
		status = merge_parts_write(&state->parts, joined, problem);
	other_calls = joined->call_count > joined->c_call_count
			      ? joined->call_count - joined->c_call_count
			      : 0;
	recording_writer_costs(
		joined->maker, merge_totals_mean(state->totals.enter_cost_ps, other_calls),
		merge_totals_mean(state->totals.c_call_cost_ps, joined->c_call_count));
	return status;
}

/* Everything is spilled first, so that there is only one code path to the recording. */
enum kymo_status merge_state_write(struct merge_state *state, const char *path, bool is_sampled,
				   struct problem *problem)
{
	struct recording_writer_header header = merge_totals_header(&state->totals, is_sampled);
	struct merge_joined joined = {0};
	uint32_t metrics[KYMO_METRICS_MAX];
	enum kymo_status status = merge_state_spill(state, problem);

	if (status == KYMO_OK)
		status = merge_estimates_spill(&state->estimates, &state->spill, problem);
	if (status == KYMO_OK)
		status = merge_spill_flush(&state->spill, problem);
	if (status == KYMO_OK && !merge_parts_run_id(&state->parts, header.run_id))
		status = merge_no_memory(problem);
	if (status < 0)
		return status;
	header.metric_count = merge_join_metrics(&state->spill, metrics);
	header.metrics = metrics;
	joined.metric_ids = metrics;
	joined.metric_count = header.metric_count;
	status = recording_writer_new(path, &header, &joined.maker, problem);
	if (status < 0)
		return status;
	status = write_contents(state, &joined, is_sampled, problem);
	if (status == KYMO_OK)
		status = recording_writer_commit(joined.maker, problem);
	else
		recording_writer_discard(joined.maker);
	merge_joined_release(&joined);
	return status;
}
