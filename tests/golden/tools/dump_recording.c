/* Everything the reader makes of a recording, as JSON: the other side of
 * tests/decoder/kymo_decoder.py, which prints the same.
 *
 * usage: dump_recording FILE */
#include "dump_recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/recording/chunks.h"
#include "model/functions/function_counts.h"
#include "model/functions/functions.h"
#include "model/recording/label.h"
#include "model/recording/recording_open.h"
#include "format/metric.h"
#include "model/trace/trace_cursor.h"

void dump_integer(struct json_writer *writer, int64_t number)
{
	if (number < 0)
		json_number(writer, (double)number);
	else
		json_count(writer, (uint64_t)number);
}

static void pair_integer(struct json_writer *writer, const char *key, int64_t number)
{
	json_key(writer, key);
	dump_integer(writer, number);
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
		dump_integer(writer, recording_ns(recording, point.ticks));
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
bool dump_counts_tell(const struct recording *recording)
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
		if (tree->thread_root[i] != CALLTREE_NONE && !dump_counts_tell(tree->recording))
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
		dump_integer(writer, value->as.number);
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
	dump_integer(writer, recording_ns(recording, event->ticks));
	json_bool(writer, event->is_synthetic);
	json_count(writer, event->identity);
	dump_integer(writer, event->last_instruction);
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
