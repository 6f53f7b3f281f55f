/* The instrumented functions of a recording. */
#include "dump_recording.h"

#include <stdlib.h>

#include "model/functions/function_counts.h"
#include "model/functions/functions.h"

static void dump_function_table(struct json_writer *writer, const struct recording *recording)
{
	const struct functions *functions = recording->functions;

	json_key(writer, "function_tables");
	json_begin_object(writer);
	json_pair_bool(writer, "has_counts", functions->has_counts);
	json_pair_bool(writer, "has_records", functions->has_records);
	json_pair_count(writer, "cost_ps", functions->cost_ps);
	json_end_object(writer);
	json_key(writer, "functions");
	json_begin_array(writer);
	for (uint32_t id = 0; id < functions->count; id++) {
		const struct function *function = &functions->items[id];

		if (!function->address)
			continue;
		json_begin_array(writer);
		json_count(writer, id);
		json_count(writer, function->address);
		json_count(writer, function->size);
		json_count(writer, function->flags >> 27);
		json_count(writer, function->region);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_sums(struct json_writer *writer, const struct kymo_timed_sums *sums)
{
	json_count(writer, sums->ended);
	json_count(writer, sums->ticks);
	json_number(writer, sums->squares);
	json_number(writer, sums->weights);
	json_number(writer, sums->weighted_ticks);
	json_number(writer, sums->spread);
	json_number(writer, sums->spread_ticks);
	json_number(writer, sums->spread_squares);
}

static void dump_counted(struct json_writer *writer, const struct counted_function *function)
{
	json_begin_array(writer);
	json_count(writer, function->id);
	json_count(writer, function->sampling_interval);
	json_count(writer, function->calls);
	json_count(writer, function->timed);
	json_count(writer, function->min);
	json_count(writer, function->max);
	dump_sums(writer, &function->sums);
	json_end_array(writer);
}

static void dump_edge(struct json_writer *writer, const struct counted_calls *calls,
		      const struct counted_edge *edge)
{
	json_begin_array(writer);
	json_count(writer, calls->functions[edge->callee].id);
	if (edge->caller == COUNTED_OUTSIDE)
		json_text(writer, NULL);
	else
		json_count(writer, calls->functions[edge->caller].id);
	json_count(writer, edge->timed);
	dump_sums(writer, &edge->sums);
	json_end_array(writer);
}

static void dump_counts(struct json_writer *writer, const struct recording *recording,
			uint32_t thread)
{
	struct counted_calls calls;
	uint64_t dropped = 0;

	if (function_counts_read(recording, thread, &calls, &dropped) != KYMO_OK)
		abort();
	json_begin_object(writer);
	json_pair_count(writer, "thread", thread);
	json_key(writer, "functions");
	json_begin_array(writer);
	for (uint32_t i = 0; i < calls.function_count; i++)
		dump_counted(writer, &calls.functions[i]);
	json_end_array(writer);
	json_key(writer, "callers");
	json_begin_array(writer);
	for (size_t i = 0; i < calls.edge_count; i++)
		dump_edge(writer, &calls, &calls.edges[i]);
	json_end_array(writer);
	json_end_object(writer);
	function_counts_release(&calls);
}

/* What the call paths made of counts come to for each function. */
static void dump_calls_by_region(struct json_writer *writer, const struct calltree *tree)
{
	uint64_t *calls = calloc(tree->recording->region_count, sizeof(*calls));

	if (!calls)
		abort();
	for (uint32_t i = 0; i < tree->node_count && dump_counts_tell(tree->recording); i++)
		if (functions_has_region(tree->recording->functions, tree->nodes[i].region))
			calls[tree->nodes[i].region] += tree->nodes[i].count;
	json_key(writer, "function_calls");
	json_begin_array(writer);
	for (uint32_t i = 0; i < tree->recording->region_count; i++) {
		if (!calls[i])
			continue;
		json_begin_array(writer);
		json_count(writer, i);
		json_count(writer, calls[i]);
		json_end_array(writer);
	}
	json_end_array(writer);
	free(calls);
}

void dump_functions(struct json_writer *writer, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;

	dump_function_table(writer, recording);
	json_key(writer, "counts");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			dump_counts(writer, recording, i);
	}
	json_end_array(writer);
	dump_calls_by_region(writer, tree);
}
