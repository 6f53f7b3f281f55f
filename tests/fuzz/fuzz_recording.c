/* Any bytes as a recording: everything the reader can make of them is made, and what it
 * promises to all reports is checked. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/series_stats.h"
#include "model/recording/label.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_gil.h"
#include "model/samples/sampled_lines.h"
#include "model/samples/sampled_threads.h"
#include "model/samples/sampled_tree.h"
#include "model/samples/sampled_waits.h"
#include "model/trace/trace_cursor.h"
#include "model/tree/calltree.h"
#include "model/tree/flat.h"
#include "model/tree/flat_stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static volatile size_t sink;

static void touch(const char *text)
{
	if (text)
		sink += strlen(text);
}

static void read_tables(const struct recording *recording)
{
	struct kymo_point point;
	uint64_t index = 0;
	char label[64];

	for (uint32_t i = 0; i < recording->region_count; i++) {
		must(recording->regions[i].name != NULL);
		touch(recording->regions[i].qualname);
		touch(recording->regions[i].module);
		sink += region_label(&recording->regions[i], label, sizeof(label));
	}
	for (uint32_t i = 0; i < recording->thread_count; i++)
		touch(recording->threads[i].name);
	for (size_t i = 0; i < recording->note_count; i++) {
		touch(recording->notes[i].key);
		touch(recording->notes[i].value);
	}
	for (size_t i = 0; i < recording->series_count; i++) {
		touch(recording->series[i].name);
		touch(recording->series[i].unit);
	}
	while (recording_point(recording, &index, &point))
		sink += point.series;
	touch(recording_program(recording));
	sink += recording_event_words(recording);
	must(recording_tick_ns(recording) > 0);
	must(recording_monotonic_ns(recording, 0) <= recording_monotonic_ns(recording, UINT64_MAX));
	must(recording_realtime_ns(recording, 0) <= recording_realtime_ns(recording, UINT64_MAX));
}

/* Balanced, and never back in time. */
static void read_trace(const struct recording *recording, uint32_t thread)
{
	struct trace_cursor *cursor;
	struct trace_event event;
	uint64_t time = 0, depth = 0;

	must(trace_cursor_new(recording, thread, &cursor) == KYMO_OK);
	while (trace_cursor_next(cursor, &event)) {
		must(event.ticks >= time && event.region < recording->region_count);
		time = event.ticks;
		if (event.kind == TRACE_ENTER)
			depth++;
		else if (event.kind == TRACE_LEAVE || event.kind == TRACE_UNWIND)
			must(depth-- > 0);
	}
	must(depth == 0);
	trace_cursor_free(cursor);
}

static void check_flat(const struct calltree *tree)
{
	struct chunk_position none = {0};
	struct kymo_total total;
	struct flat *flat;
	uint64_t count = 0;

	must(flat_new(tree, NULL, &flat) == KYMO_OK);
	for (uint32_t i = 0; i < flat->row_count; i++) {
		must(flat->rows[i].primitive_count <= flat->rows[i].count);
		count += flat->rows[i].count;
	}
	/* Where the sums were told, they need not be those of the call paths. */
	must(count == tree->call_count || flat_stored_next(tree->recording, NULL, &none, &total));
	flat_free(flat);
}

/* Whatever is computed of them stays a number. */
static void check_metrics(const struct calltree *tree, uint32_t node)
{
	for (uint32_t k = 0; k < tree->metric_count; k++) {
		const struct calltree_metric *metric =
			&tree->metrics[(size_t)node * tree->metric_count + k];

		must(fabs(metric->sum) <= 1e60 && fabs(metric->min) <= 1e60);
		must(fabs(metric->max) <= 1e60 && fabs(metric->sum_squares) <= 1e120);
	}
}

static void check_series(const struct recording *recording)
{
	struct series_stats *stats = series_stats_new(recording);

	must(stats != NULL);
	for (size_t i = 0; i < recording->series_count; i++)
		must(isfinite(stats[i].mean) && isfinite(stats[i].min) && isfinite(stats[i].max));
	free(stats);
}

static void check_tree(const struct calltree *tree)
{
	bool has_wrapped = false;
	uint64_t count = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		must(node->region < tree->recording->region_count);
		must(node->thread < tree->recording->thread_count);
		must(node->parent == CALLTREE_NONE || node->parent < i);
		must(node->self_ns >= 0 && node->self_ns <= node->sum_ns);
		must(node->creates_thread == CALLTREE_NONE || node->creates_thread > node->thread);
		must(node->closed_count == 0 || node->min_ns <= node->max_ns);
		must(isfinite(node->sum_ns) && isfinite(node->sum_squares_ns));
		check_metrics(tree, i);
		has_wrapped |= __builtin_add_overflow(count, node->count, &count);
	}
	/* Counts that add up to more than 64 bits hold are damage, not a promise broken. */
	if (!has_wrapped)
		check_flat(tree);
}

/* Samples never go back in time, and what is said of them exists. */
static void read_samples(const struct samples *samples, uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;
	uint64_t time = 0, count = 0;
	struct sample_code code;

	while (samples_next(samples, thread, &position, &sample)) {
		must(sample.ticks >= time && sample.start_ticks <= sample.ticks);
		must(sample.stack < samples_stack_count(samples, thread));
		must(sample.wall_ns >= 0 && !(sample.cpu_ns < 0));
		time = sample.ticks;
		count++;
	}
	must(count == samples->threads[thread].counts[KYMO_SAMPLE_REALTIME] +
			      samples->threads[thread].counts[KYMO_SAMPLE_CPUTIME] +
			      samples->threads[thread].counts[KYMO_SAMPLE_OVERFLOW]);
	for (uint32_t id = 0; id < samples_stack_count(samples, thread) && id < 10000; id++) {
		uint64_t frame;
		uint32_t parent;

		must(!samples_frame(samples, thread, id, &frame, &parent) || parent < id);
	}
	for (uint32_t id = 0; samples_code(samples->recording, id, &code) && id < 10000; id++) {
		touch(code.name);
		for (uint32_t i = 0; i < code.lines_size; i++)
			sink += code.lines[i];
	}
}

/* Every table of samples; all of a tree's time is in a row. */
static void make_tables(struct recording *recording, const struct samples *samples,
			const struct sampled_options *options)
{
	struct calltree *tree;
	struct sampled_lines *lines;
	struct sampled_threads *threads;
	struct sampled_gil *gil;
	struct sampled_waits *waits;

	must(sampled_tree_new(recording, samples, options, &tree, NULL) == KYMO_OK);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		must(node->region < recording->region_count);
		must(node->parent == CALLTREE_NONE || node->parent < i);
		must(node->self_ns >= 0 && node->self_ns <= node->sum_ns);
		must(node->parent != CALLTREE_NONE || node->self_ns == 0);
	}
	calltree_free(tree);
	must(sampled_lines_new(recording, samples, options, &lines) == KYMO_OK);
	for (size_t i = 0; i < lines->count; i++)
		touch(lines->lines[i].function);
	sampled_lines_free(lines);
	must(sampled_threads_new(recording, samples, &threads) == KYMO_OK);
	sampled_threads_free(threads);
	must(sampled_gil_new(recording, samples, options, &gil) == KYMO_OK);
	for (size_t i = 0; i < gil->line_count; i++)
		touch(gil->lines[i].function);
	sampled_gil_free(gil);
	must(sampled_waits_new(recording, samples, options, &waits) == KYMO_OK);
	for (size_t i = 0; i < waits->count; i++)
		touch(waits->waits[i].object);
	sampled_waits_free(waits);
}

static void check_samples(struct recording *recording)
{
	struct sampled_options options = {0};
	struct samples *samples;

	must(samples_new(recording, &samples, NULL) == KYMO_OK);
	for (uint32_t i = 0; i < recording->thread_count; i++)
		read_samples(samples, i);
	if (samples->count > 0) {
		make_tables(recording, samples, &options);
		options = (struct sampled_options){SAMPLED_BY_CPU, .keeps_internal = true,
						   .has_lines = true, .has_inlines = true};
		make_tables(recording, samples, &options);
		options.weight = SAMPLED_BY_EVENT;
		make_tables(recording, samples, &options);
	}
	samples_free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *recording = NULL;
	struct calltree *tree = NULL;

	if (recording_open_bytes(data, size, &recording, NULL) != KYMO_OK)
		return 0;
	read_tables(recording);
	for (uint32_t i = 0; i < recording->thread_count; i++)
		read_trace(recording, i);
	if (calltree_new(recording, &tree, NULL) == KYMO_OK)
		check_tree(tree);
	calltree_free(tree);
	check_samples(recording);
	check_series(recording);
	recording_free(recording);
	return 0;
}
