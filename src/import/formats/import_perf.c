/* The perf importer: the output of Linux's `perf script`, with call chains or without. A clock, or
 * else the first event, is the weight of call paths; other events are metrics. */
#include "import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/formats/perf_lines.h"
#include "import/imported_notes.h"

#define NOUN	     "output of perf script"
#define DETECT_LINES 200
#define GAPS_MAX     100000

struct perf_import {
	const struct import_source *source;
	struct imported *imported;
	struct text_lines lines;
	struct span event; /* the first one's name */
	bool is_clock;	   /* its periods are nanoseconds */
	uint32_t *frames;  /* regions of the current sample, innermost first */
	size_t frame_count, frame_capacity;
	uint32_t thread; /* of the current sample; 0 = none */
	struct perf_sample sample;
	uint64_t sample_count, skipped;
	int64_t *last_ns; /* by thread */
	size_t last_capacity;
	int64_t *gaps; /* between samples of a thread */
	size_t gap_count, gap_capacity;
};

static bool perf_detect(const char *head, size_t size)
{
	struct text_lines lines = text_lines_of(head, size);
	struct perf_sample sample;
	unsigned int count = 0;
	struct span line;

	while (count < DETECT_LINES && text_line(&lines, &line)) {
		if (line.size == 0 || line.at[0] == '#')
			continue;
		/* Stacks separated by semicolons may contain times as well. */
		if (perf_read_sample(line, &sample))
			return !memchr(line.at, ';', (size_t)(sample.event.at - line.at));
		count++;
	}
	return false;
}

/* Python's own trampolines: "py::name:/path/file.py". */
static bool read_trampoline(struct span symbol, struct imported_function *function)
{
	struct span rest;
	const char *colon;

	if (!span_begins(symbol, "py::"))
		return false;
	rest = span_from(symbol, 4);
	colon = rest.size ? memchr(rest.at, ':', rest.size) : NULL;
	if (!colon || colon == rest.at)
		return false;
	function->kind = KYMO_REGION_PYTHON;
	function->name = (struct span){rest.at, (size_t)(colon - rest.at)};
	function->file = span_from(rest, function->name.size + 1);
	return true;
}

static void perf_add_frame(struct perf_import *import, const struct perf_frame *frame)
{
	struct imported_function function = {.kind = KYMO_REGION_NATIVE, .name = frame->symbol};
	uint32_t *grown;

	if (import->frame_count >= IMPORT_DEPTH_MAX) {
		imported_count(import->imported, COUNT_DEEP_FRAMES);
		return;
	}
	grown = array_grow(import->frames, &import->frame_capacity, import->frame_count + 1,
			   sizeof(*grown));
	if (!grown) {
		import->imported->is_out_of_memory = true;
		return;
	}
	import->frames = grown;
	if (!read_trampoline(frame->symbol, &function))
		function.module = frame->module;
	grown[import->frame_count++] = imported_region(import->imported, &function);
}

/* Find a clock sample, anywhere in the file. */
static void find_clock(struct perf_import *import)
{
	static const char *const clocks[] = {" cpu-clock:", " task-clock:"};
	const struct import_source *source = import->source;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks) && !import->is_clock; i++) {
		const char *found = source->size ? memmem(source->data, source->size, clocks[i],
							  strlen(clocks[i]))
						 : NULL;
		const char *begin =
			found ? memrchr(source->data, '\n', (size_t)(found - source->data)) : NULL;
		struct text_lines lines;
		struct perf_sample sample;
		struct span line;

		if (!found)
			continue;
		begin = begin ? begin + 1 : source->data;
		lines = text_lines_of(begin, (size_t)(source->data + source->size - begin));
		if (!text_line(&lines, &line) || !perf_read_sample(line, &sample))
			continue;
		import->event = sample.event;
		import->is_clock = true;
	}
}

/* The weighting event, or the number of its metric + 1. */
static uint32_t perf_metric_of(struct perf_import *import, struct span event)
{
	uint32_t metric;

	if (import->event.size == 0) {
		import->event = event;
		import->is_clock =
			span_begins(event, "cpu-clock") || span_begins(event, "task-clock");
	}
	if (import->event.size == event.size && memcmp(import->event.at, event.at, event.size) == 0)
		return 0;
	metric = imported_metric(import->imported, event, "");
	return metric + 1;
}

static void remember_gap(struct perf_import *import, uint32_t thread, int64_t ns)
{
	size_t before = import->last_capacity;
	int64_t *last = array_grow(import->last_ns, &import->last_capacity, thread + (size_t)1,
				   sizeof(*last));
	int64_t *gaps;

	if (!last) {
		import->imported->is_out_of_memory = true;
		return;
	}
	memset(last + before, 0, (import->last_capacity - before) * sizeof(*last));
	import->last_ns = last;
	if (last[thread] > 0 && ns > last[thread] && import->gap_count < GAPS_MAX) {
		gaps = array_grow(import->gaps, &import->gap_capacity, import->gap_count + 1,
				  sizeof(*gaps));
		if (gaps) {
			import->gaps = gaps;
			gaps[import->gap_count++] = ns - last[thread];
		}
	}
	last[thread] = ns;
}

static void perf_weigh(struct perf_import *import, uint32_t node)
{
	struct imported *imported = import->imported;
	const struct perf_sample *sample = &import->sample;
	uint32_t metric = perf_metric_of(import, sample->event);
	int64_t begin = sample->ns;

	if (metric > IMPORT_METRICS_MAX) {
		import->skipped++;
		return;
	}
	if (metric > 0) {
		imported_measure(imported, metric - 1, node, 1, sample->period);
		return;
	}
	imported_weigh(imported, node, 1, sample->period);
	if (import->is_clock)
		begin -= sample->period < (double)begin ? (int64_t)sample->period : begin;
	else
		remember_gap(import, import->thread, sample->ns);
	imported_sample(imported, import->thread, begin, sample->ns, node);
}

static void perf_sample_end(struct perf_import *import)
{
	struct imported *imported = import->imported;
	const struct perf_frame unknown = {.symbol = SPAN("[unknown]")};
	uint32_t node;

	if (!import->thread)
		return;
	if (import->frame_count == 0)
		perf_add_frame(import, &unknown);
	node = imported_root(imported, import->thread);
	for (size_t i = import->frame_count; i-- > 0;)
		node = imported_child(imported, node, import->frames[i]);
	perf_weigh(import, node);
	import->frame_count = 0;
	import->thread = 0;
}

static void sample_begin(struct perf_import *import)
{
	struct imported *imported = import->imported;
	const struct perf_sample *sample = &import->sample;
	uint32_t process = imported_process(imported, sample->pid);
	struct perf_frame frame;

	import->sample_count++;
	import->thread = imported_thread(imported, process, sample->tid);
	if (!import->thread)
		return;
	imported->threads[import->thread].is_sampled = true;
	if (!imported->threads[import->thread].name)
		imported_thread_name(imported, import->thread, sample->command);
	if (sample->pid && sample->pid == sample->tid && !imported->processes[process].name)
		imported_process_name(imported, process, sample->command);
	if (perf_read_frame(sample->rest, &frame))
		perf_add_frame(import, &frame);
}

/* "# cmdline : /usr/bin/perf record -g ./app" */
static void perf_read_comment(struct perf_import *import, struct span line)
{
	struct span value = span_from(line, 1), key = span_cut(&value, ':');

	if (span_equals(span_trim(key), "cmdline"))
		imported_note_command(import->imported, span_trim(value));
}

static enum kymo_status perf_read_line(struct perf_import *import, struct span line,
				       struct problem *problem)
{
	struct perf_sample sample;
	struct perf_frame frame;

	if (line.size && line.at[0] == '#') {
		perf_read_comment(import, line);
	} else if (span_trim(line).size == 0) {
		perf_sample_end(import);
	} else if (line.at[0] != '\t' && perf_read_sample(line, &sample)) {
		perf_sample_end(import);
		import->sample = sample;
		sample_begin(import);
	} else if (perf_read_frame(line, &frame)) {
		if (import->thread)
			perf_add_frame(import, &frame);
	} else if (line.at[0] != ' ' && line.at[0] != '\t') {
		return source_fail(import->source, NOUN, problem,
				   "line %zu is neither a sample nor a frame",
				   import->lines.number);
	}
	return KYMO_OK;
}

static int compare_gaps(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* A sample of an event that is no clock stands for the typical gap between two. */
static void stretch_samples(struct perf_import *import)
{
	struct imported *imported = import->imported;
	int64_t interval;

	if (import->is_clock || import->gap_count == 0)
		return;
	qsort(import->gaps, import->gap_count, sizeof(*import->gaps), compare_gaps);
	interval = import->gaps[import->gap_count / 2];
	for (size_t i = 1; i <= imported->thread_count; i++) {
		struct imported_thread *thread = &imported->threads[i];

		for (size_t k = 0; k < thread->sample_count; k++) {
			struct imported_sample *sample = &thread->samples[k];

			sample->begin_ns -=
				interval < sample->begin_ns ? interval : sample->begin_ns;
			if (sample->begin_ns < thread->first_ns)
				thread->first_ns = sample->begin_ns;
		}
	}
}

static void perf_put_notes(struct perf_import *import)
{
	char text[160];
	int length;

	if (import->skipped) {
		length =
			snprintf(text, sizeof(text), "%llu samples of further events were left out",
				 (unsigned long long)import->skipped);
		imported_note(import->imported, KYMO_NOTE_WARNING, "import",
			      (struct span){text, (size_t)length});
	}
	if (import->is_clock)
		return;
	snprintf(text, sizeof(text), "%.*s",
		 import->event.size < 100 ? (int)import->event.size : 100, import->event.at);
	imported_note_unit(import->imported, text);
}

static enum kymo_status perf_read(const struct import_source *source, struct imported *imported,
				  struct problem *problem)
{
	struct perf_import import = {
		.source = source,
		.imported = imported,
		.lines = text_lines_of(source->data, source->size),
	};
	enum kymo_status status = KYMO_OK;
	struct span line;

	find_clock(&import);
	while (status == KYMO_OK && !imported->is_out_of_memory && text_line(&import.lines, &line))
		status = perf_read_line(&import, line, problem);
	if (status == KYMO_OK) {
		perf_sample_end(&import);
		if (import.sample_count == 0)
			status = source_fail(source, NOUN, problem, "it has no samples");
	}
	if (status == KYMO_OK) {
		stretch_samples(&import);
		perf_put_notes(&import);
	}
	free(import.frames);
	free(import.last_ns);
	free(import.gaps);
	return status;
}

const struct importer perf_importer = {
	.name = "perf",
	.noun = NOUN,
	.description = "what Linux's perf script prints: call paths and time lines of samples",
	.detect = perf_detect,
	.read = perf_read,
};
