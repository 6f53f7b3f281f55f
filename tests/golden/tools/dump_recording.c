/* Everything the reader makes of a recording, as JSON: the other side of
 * tests/decoder/kymo_decoder.py, which prints the same.
 *
 * usage: dump_recording FILE */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/tree/calltree.h"
#include "model/recording/chunks.h"
#include "model/functions/function_counts.h"
#include "model/functions/functions.h"
#include "model/recording/label.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"
#include "model/samples/samples.h"
#include "format/metric.h"
#include "text/json_writer.h"
#include "model/trace/trace_cursor.h"

static void json_integer(struct json_writer *writer, int64_t number)
{
	if (number < 0)
		json_number(writer, (double)number);
	else
		json_count(writer, (uint64_t)number);
}

static void pair_integer(struct json_writer *writer, const char *key, int64_t number)
{
	json_key(writer, key);
	json_integer(writer, number);
}

/* NULL: there were too many to name them all. */
static const char *metric_name(uint32_t metric)
{
	const struct metric_info *info = metric_info((enum kymo_metric)metric);

	return info ? info->name : NULL;
}

static void dump_facts(struct json_writer *writer, const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;

	json_pair_count(writer, "state", header->state);
	json_pair_count(writer, "flags", header->flags);
	json_pair_count(writer, "clock_kind", header->clock_kind);
	json_pair_count(writer, "pid", header->pid);
	json_pair_count(writer, "parent_pid", header->parent_pid);
	pair_integer(writer, "exit_status", header->exit_status);
	json_pair_bool(writer, "is_closed", recording->is_closed);
	pair_integer(writer, "end_ns", recording_ns(recording, recording->end_ticks));
	json_pair_count(writer, "end_realtime_ns",
			recording_realtime_ns(recording, recording->end_ticks));
	json_pair_number(writer, "tick_ns", recording_tick_ns(recording));
	json_key(writer, "metrics");
	json_begin_array(writer);
	for (uint32_t i = 0; i < header->metric_count; i++)
		json_text(writer, metric_name(header->metrics[i]));
	json_end_array(writer);
}

static void dump_region(struct json_writer *writer, const struct region *region)
{
	char label[512];

	json_begin_object(writer);
	json_pair_count(writer, "kind", region->kind);
	json_pair_count(writer, "flags", region->flags);
	json_pair_text(writer, "name", region->name);
	json_pair_text(writer, "qualname", region->qualname);
	json_pair_text(writer, "module", region->module);
	json_pair_text(writer, "file", region->file);
	json_pair_text(writer, "arguments", region->arguments);
	json_pair_count(writer, "line", region->line);
	json_pair_count(writer, "argument_count", region->argument_count);
	json_pair_count(writer, "local_count", region->local_count);
	json_pair_count(writer, "stack_size", region->stack_size);
	region_label(region, label, sizeof(label));
	json_pair_text(writer, "label", label);
	json_end_object(writer);
}

static void dump_thread(struct json_writer *writer, const struct recording *recording,
			uint32_t number)
{
	const struct thread *thread = &recording->threads[number];

	json_begin_object(writer);
	json_pair_count(writer, "number", number);
	json_pair_count(writer, "flags", thread->flags);
	json_pair_count(writer, "system_id", thread->system_id);
	json_pair_count(writer, "lost_events", thread->lost_events);
	json_pair_count(writer, "folded", thread->folded);
	json_pair_count(writer, "resynced", thread->resynced);
	json_pair_count(writer, "cpu_ns", thread->cpu_ns);
	json_pair_count(writer, "misused_ends", thread->misused_ends);
	json_pair_count(writer, "never_ended", thread->never_ended);
	if (thread->parent == KYMO_NO_THREAD)
		json_pair_text(writer, "parent", NULL);
	else
		json_pair_count(writer, "parent", thread->parent);
	json_pair_text(writer, "name", thread->name);
	pair_integer(writer, "start_ns", recording_ns(recording, thread->start_ticks));
	if (thread->end_ticks)
		pair_integer(writer, "end_ns", recording_ns(recording, thread->end_ticks));
	else
		json_pair_text(writer, "end_ns", NULL);
	json_end_object(writer);
}

static void dump_notes(struct json_writer *writer, const struct recording *recording)
{
	json_key(writer, "notes");
	json_begin_array(writer);
	for (size_t i = 0; i < recording->note_count; i++) {
		json_begin_array(writer);
		json_count(writer, recording->notes[i].kind);
		json_text(writer, recording->notes[i].key);
		json_text(writer, recording->notes[i].value);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_modules(struct json_writer *writer, const struct recording *recording)
{
	json_key(writer, "modules");
	json_begin_array(writer);
	for (size_t i = 0; i < recording->module_count; i++) {
		json_begin_array(writer);
		json_text(writer, recording->modules[i].path);
		json_text(writer, recording->modules[i].build_id);
		json_count(writer, recording->modules[i].start);
		json_count(writer, recording->modules[i].end);
		json_count(writer, recording->modules[i].bias);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_series(struct json_writer *writer, const struct recording *recording)
{
	struct kymo_point point;
	uint64_t index = 0;

	json_key(writer, "series");
	json_begin_array(writer);
	for (size_t i = 0; i < recording->series_count; i++) {
		json_begin_array(writer);
		json_text(writer, recording->series[i].name);
		json_text(writer, recording->series[i].unit);
		json_count(writer, recording->series[i].thread);
		json_end_array(writer);
	}
	json_end_array(writer);
	json_key(writer, "points");
	json_begin_array(writer);
	while (recording_point(recording, &index, &point)) {
		json_begin_array(writer);
		json_count(writer, point.series);
		json_integer(writer, recording_ns(recording, point.ticks));
		json_number(writer, point.value);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_tables(struct json_writer *writer, const struct recording *recording)
{
	json_key(writer, "regions");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->region_count; i++)
		dump_region(writer, &recording->regions[i]);
	json_end_array(writer);
	json_key(writer, "threads");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			dump_thread(writer, recording, i);
	}
	json_end_array(writer);
	dump_notes(writer, recording);
	dump_series(writer, recording);
	dump_modules(writer, recording);
}

static void dump_metrics(struct json_writer *writer, const struct calltree *tree, uint32_t index)
{
	json_key(writer, "metrics");
	json_begin_array(writer);
	for (uint32_t i = 0; i < tree->metric_count; i++) {
		const struct calltree_metric *row =
			&tree->metrics[(size_t)index * tree->metric_count + i];

		json_begin_array(writer);
		json_count(writer, row->count);
		json_number(writer, row->sum);
		json_number(writer, row->min);
		json_number(writer, row->max);
		json_number(writer, row->sum_squares);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_node(struct json_writer *writer, const struct calltree *tree, uint32_t index)
{
	const struct calltree_node *node = &tree->nodes[index];

	json_begin_object(writer);
	json_pair_count(writer, "thread", node->thread);
	json_pair_count(writer, "depth", node->depth);
	json_pair_count(writer, "region", node->region);
	json_pair_count(writer, "count", node->count);
	json_pair_count(writer, "closed", node->closed_count);
	json_pair_number(writer, "sum_ns", node->sum_ns);
	json_pair_number(writer, "self_ns", node->self_ns);
	json_pair_number(writer, "min_ns", node->min_ns);
	json_pair_number(writer, "max_ns", node->max_ns);
	json_pair_number(writer, "sum_squares", node->sum_squares_ns);
	json_pair_bool(writer, "open", node->is_open);
	json_pair_bool(writer, "folded", node->is_folded);
	json_key(writer, "creates");
	json_begin_array(writer);
	for (uint32_t i = node->creates_thread; i != CALLTREE_NONE; i = tree->thread_next[i])
		json_count(writer, i);
	json_end_array(writer);
	dump_metrics(writer, tree, index);
	json_end_object(writer);
}

/* Depth first; paths in tests are not deep. */
static void dump_below(struct json_writer *writer, const struct calltree *tree, uint32_t index)
{
	uint32_t child = tree->nodes[index].first_child;

	dump_node(writer, tree, index);
	for (; child != CALLTREE_NONE; child = tree->nodes[child].next_sibling)
		dump_below(writer, tree, child);
}

/* Calls were counted: who called whom is told, and the paths are estimates. */
static bool counts_tell(const struct recording *recording)
{
	size_t count;

	chunks_of(recording, KYMO_CHUNK_TIMED, &count);
	return recording->functions && count > 0;
}

static void dump_tree(struct json_writer *writer, const struct calltree *tree)
{
	json_pair_count(writer, "call_count", tree->call_count);
	json_pair_count(writer, "c_call_count", tree->c_call_count);
	json_key(writer, "nodes");
	json_begin_array(writer);
	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		if (tree->thread_root[i] != CALLTREE_NONE && !counts_tell(tree->recording))
			dump_below(writer, tree, tree->thread_root[i]);
	}
	json_end_array(writer);
}

static void dump_value(struct json_writer *writer, const struct trace_value *value)
{
	json_begin_array(writer);
	json_text(writer, value->name);
	json_count(writer, value->type);
	if (value->type == KYMO_VALUE_TEXT)
		json_text(writer, value->as.text);
	else if (value->type == KYMO_VALUE_SIGNED)
		json_integer(writer, value->as.number);
	else if (value->type == KYMO_VALUE_FLOAT)
		json_number(writer, value->as.real);
	else
		json_count(writer, value->as.natural);
	json_end_array(writer);
}

static void dump_event(struct json_writer *writer, const struct recording *recording,
		       struct trace_cursor *cursor, const struct trace_event *event)
{
	static const char *const names[] = {
		[TRACE_ENTER] = "enter",     [TRACE_LEAVE] = "leave", [TRACE_UNWIND] = "unwind",
		[TRACE_INSTANT] = "instant", [TRACE_LOST] = "lost",   [TRACE_SEND] = "send",
		[TRACE_RECEIVE] = "receive",
	};
	struct trace_value value;

	json_begin_array(writer);
	json_text(writer, names[event->kind]);
	json_count(writer, event->region);
	json_integer(writer, recording_ns(recording, event->ticks));
	json_bool(writer, event->is_synthetic);
	json_count(writer, event->identity);
	json_integer(writer, event->last_instruction);
	json_count(writer, event->value);
	while (trace_cursor_value(cursor, &value))
		dump_value(writer, &value);
	json_end_array(writer);
}

static void dump_trace(struct json_writer *writer, const struct recording *recording,
		       uint32_t thread)
{
	struct trace_cursor *cursor;
	struct trace_event event;

	if (trace_cursor_new(recording, thread, &cursor) != KYMO_OK)
		abort();
	json_begin_object(writer);
	json_pair_count(writer, "thread", thread);
	json_key(writer, "events");
	json_begin_array(writer);
	while (trace_cursor_next(cursor, &event))
		dump_event(writer, recording, cursor, &event);
	json_end_array(writer);
	json_pair_count(writer, "dropped", trace_cursor_dropped(cursor));
	json_end_object(writer);
	trace_cursor_free(cursor);
}

static void dump_codes(struct json_writer *writer, const struct recording *recording)
{
	static const char digits[] = "0123456789abcdef";
	struct sample_code code;

	json_key(writer, "codes");
	json_begin_array(writer);
	for (uint32_t id = 0; samples_code(recording, id, &code); id++) {
		char *hex = calloc(2 * (size_t)code.lines_size + 1, 1);

		if (!hex)
			abort();
		for (uint32_t i = 0; i < code.lines_size; i++) {
			hex[2 * i] = digits[code.lines[i] >> 4];
			hex[2 * i + 1] = digits[code.lines[i] & 15];
		}
		json_begin_array(writer);
		json_text(writer, code.name);
		json_text(writer, code.qualname);
		json_text(writer, code.file);
		json_count(writer, code.first_line);
		json_count(writer, code.version);
		json_count(writer, code.flags);
		json_text(writer, code.lines ? hex : NULL);
		json_end_array(writer);
		free(hex);
	}
	json_end_array(writer);
}

static void dump_stacks(struct json_writer *writer, const struct samples *samples, uint32_t thread)
{
	json_key(writer, "stacks");
	json_begin_array(writer);
	for (uint32_t id = 1; id < samples_stack_count(samples, thread); id++) {
		uint64_t frame = 0;
		uint32_t parent = 0;

		samples_frame(samples, thread, id, &frame, &parent);
		json_begin_array(writer);
		json_count(writer, frame);
		json_count(writer, parent);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_sample(struct json_writer *writer, const struct recording *recording,
			const struct sample *sample)
{
	json_begin_array(writer);
	json_count(writer, sample->kind);
	json_count(writer, sample->gil);
	json_count(writer, sample->stack);
	json_integer(writer, recording_ns(recording, sample->ticks));
	json_number(writer, sample->wall_ns);
	if (isnan(sample->cpu_ns))
		json_text(writer, NULL);
	else
		json_number(writer, sample->cpu_ns);
	json_count(writer, sample->value);
	json_end_array(writer);
}

static void dump_samples_of(struct json_writer *writer, const struct samples *samples,
			    uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;

	json_begin_object(writer);
	json_pair_count(writer, "thread", thread);
	dump_stacks(writer, samples, thread);
	json_key(writer, "samples");
	json_begin_array(writer);
	while (samples_next(samples, thread, &position, &sample))
		dump_sample(writer, samples->recording, &sample);
	json_end_array(writer);
	json_pair_count(writer, "lost", position.lost);
	json_end_object(writer);
}

static void dump_part(struct json_writer *writer, const struct recording_part *part)
{
	char hex[33];

	for (size_t i = 0; i < sizeof(part->run_id); i++)
		snprintf(hex + 2 * i, 3, "%02x", part->run_id[i]);
	json_begin_array(writer);
	json_text(writer, part->run);
	json_text(writer, part->program);
	json_text(writer, part->host);
	json_text(writer, part->thread_name);
	json_text(writer, hex);
	json_count(writer, part->pid);
	json_count(writer, part->thread);
	json_integer(writer, part->rank);
	json_count(writer, part->start_realtime_ns);
	json_count(writer, part->duration_ns);
	json_count(writer, part->cpu_ns);
	if (part->is_complete) {
		json_count(writer, part->outside_ns);
		json_count(writer, part->measuring_ns);
		json_count(writer, part->process_ns);
		json_bool(writer, part->is_idle);
	}
	json_end_array(writer);
}

static void dump_parts(struct json_writer *writer, const struct recording *recording)
{
	struct share_position position = {0};
	struct recording_share share;

	json_key(writer, "parts");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->part_count; i++)
		dump_part(writer, &recording->parts[i]);
	json_end_array(writer);
	json_key(writer, "shares");
	json_begin_array(writer);
	while (recording_share(recording, &position, &share)) {
		json_begin_array(writer);
		json_count(writer, share.part);
		json_count(writer, share.region);
		json_count(writer, share.count);
		json_count(writer, share.self_ns);
		json_count(writer, share.total_ns);
		if (share.work_ns != share.self_ns || share.work_total_ns != share.total_ns) {
			json_count(writer, share.work_ns);
			json_count(writer, share.work_total_ns);
		}
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_samples(struct json_writer *writer, const struct recording *recording)
{
	struct samples *samples;

	if (samples_new(recording, &samples, NULL) != KYMO_OK)
		abort();
	dump_codes(writer, recording);
	json_key(writer, "samples");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			dump_samples_of(writer, samples, i);
	}
	json_end_array(writer);
	json_pair_count(writer, "damaged_samples", samples->damaged_count);
	samples_free(samples);
}

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
	for (uint32_t i = 0; i < tree->node_count && counts_tell(tree->recording); i++)
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

static void dump_functions(struct json_writer *writer, const struct calltree *tree)
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

/* They get their names when these are asked for. */
static void name_functions(const struct recording *recording)
{
	for (uint32_t id = 0; recording->functions && id < recording->functions->count; id++)
		functions_region(recording, id);
}

static void dump(struct json_writer *writer, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;

	name_functions(recording);
	json_begin_object(writer);
	dump_facts(writer, recording);
	dump_tables(writer, recording);
	dump_tree(writer, tree);
	json_key(writer, "traces");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			dump_trace(writer, recording, i);
	}
	json_end_array(writer);
	dump_samples(writer, recording);
	if (recording->functions)
		dump_functions(writer, tree);
	if (recording->header.flags & KYMO_HEADER_MERGED)
		dump_parts(writer, recording);
	json_end_object(writer);
	fputc('\n', writer->out);
}

int main(int argc, char **argv)
{
	struct json_writer writer = {.out = stdout};
	struct recording *recording = NULL;
	struct calltree *tree = NULL;
	struct problem problem;

	if (argc != 2) {
		fputs("usage: dump_recording FILE\n", stderr);
		return 2;
	}
	if (recording_open(argv[1], &recording, &problem) == KYMO_OK)
		recording->is_raw = true; /* what is in the file */
	if (!recording || calltree_new(recording, &tree, &problem) != KYMO_OK) {
		fprintf(stderr, "dump_recording: %s\n", problem.text);
		recording_free(recording);
		return 1;
	}
	dump(&writer, tree);
	calltree_free(tree);
	recording_free(recording);
	return 0;
}
