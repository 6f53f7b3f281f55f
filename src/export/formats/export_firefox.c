/* The firefox exporter: a processed profile for profiler.firefox.com.  Samples are written at their
 * times with their weights; calls as each call path once, in the order of the tree, for as long as
 * its own time.  Times are milliseconds since the run's start.
 *
 * The version is an old one that the profiler converts itself. */
#include "export/export.h"

#include <inttypes.h>
#include <math.h>

#include "command/xalloc.h"
#include "export/export_names.h"
#include "export/export_sink.h"
#include "export/export_source.h"
#include "export/formats/firefox_thread.h"
#include "export/tree_paths.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_class.h"

#define FORMAT_VERSION "47"
#define NS_PER_MS      1e6

struct firefox_writer {
	struct export_sink *sink;
	const struct export_selection *selection;
	const struct run_samples *samples;
	const struct recording *recording; /* being written */
	uint64_t origin_ns;
	double interval_ms; /* the shortest of all threads, 0 = not known */
	const char *separator;
};

static double time_ms(const struct firefox_writer *writer, uint64_t ticks)
{
	uint64_t now = recording_realtime_ns(writer->recording, ticks);

	return now > writer->origin_ns ? (double)(now - writer->origin_ns) / NS_PER_MS : 0;
}

struct sample_reader {
	const struct recording_samples *samples;
	const bool *selected;
	uint32_t number; /* of the thread */
	struct firefox_thread *thread;
	uint32_t *stacks; /* by location: the stack + 1, 0 = not made yet */
};

/* FIREFOX_NONE = nothing of it is selected. */
static uint32_t stack_of_location(struct sample_reader *reader, struct sample_location place)
{
	uint32_t count = samples_stack_count(reader->samples->samples, reader->number);
	uint32_t *known = &reader->stacks[(size_t)place.stack + (place.waits_for_gil ? count : 0)];
	uint32_t regions[SAMPLE_PATH_MAX + 1], length, stack = FIREFOX_NONE;

	if (*known)
		return *known - 1;
	length = samples_path(reader->samples, reader->number, place, reader->selected, regions);
	for (uint32_t i = 0; i < length; i++)
		stack = firefox_thread_stack(reader->thread, stack, regions[i]);
	*known = stack + 1;
	return stack;
}

static void firefox_read_samples(const struct firefox_writer *writer, struct sample_reader *reader)
{
	const struct recording_samples *samples = reader->samples;
	enum sampled_weight by = sampled_weight_of(&samples->scale, samples_weighed_by(samples));
	double unit = by == SAMPLED_EVENTS ? 1 : NS_PER_MS;
	struct sample_position position = {0};
	double weights[SAMPLED_WEIGHTS], carried_ns = 0;
	struct sample sample;

	reader->thread->has_events = by == SAMPLED_EVENTS;
	while (samples_next(samples->samples, reader->number, &position, &sample)) {
		const struct sampled_leaf *leaf =
			&samples->stacks[reader->number][sample.stack].leaf;

		sampled_weigh(&samples->scale, &sample, sampled_classify(leaf, &sample),
			      &carried_ns, weights);
		if (isnan(weights[by]))
			continue;
		firefox_thread_sample(reader->thread,
				      stack_of_location(reader, samples_location(samples, &sample)),
				      time_ms(writer, sample.ticks), weights[by] / unit);
	}
}

static void fill_from_samples(const struct firefox_writer *writer, size_t index, uint32_t number,
			      struct firefox_thread *thread)
{
	const struct recording_samples *samples = &writer->samples->items[index];
	struct sample_reader reader = {
		.samples = samples,
		.selected = selection_regions(writer->selection, index),
		.number = number,
		.thread = thread,
	};

	if (!samples_has_thread(samples, number))
		return;
	reader.stacks = xcalloc(2 * (size_t)samples_stack_count(samples->samples, number),
				sizeof(*reader.stacks));
	firefox_read_samples(writer, &reader);
	xfree(reader.stacks);
}

/* The next node below root, in preorder; NONE at the end. */
static uint32_t firefox_node_after(const struct calltree_node *nodes, uint32_t index, uint32_t root)
{
	if (nodes[index].first_child != CALLTREE_NONE)
		return nodes[index].first_child;
	while (index != root && nodes[index].next_sibling == CALLTREE_NONE)
		index = nodes[index].parent;
	return index == root ? CALLTREE_NONE : nodes[index].next_sibling;
}

/* stacks: by node, of shown ones. */
static void firefox_read_calls(const struct firefox_writer *writer, const struct tree_paths *paths,
			       uint32_t number, uint32_t *stacks, struct firefox_thread *thread)
{
	const struct calltree *tree = paths->tree;
	double now_ms = time_ms(writer, writer->recording->threads[number].start_ticks);
	uint32_t root = tree->thread_root[number];

	if (root == CALLTREE_NONE)
		return;
	for (uint32_t i = root; i != CALLTREE_NONE; i = firefox_node_after(tree->nodes, i, root)) {
		uint32_t caller = paths->caller[i];

		if (paths->shown[i] != i)
			continue;
		stacks[i] = firefox_thread_stack(
			thread, caller == CALLTREE_NONE ? FIREFOX_NONE : stacks[caller],
			tree->nodes[i].region);
		if (paths->self_ns[i] <= 0)
			continue;
		firefox_thread_sample(thread, stacks[i], now_ms, paths->self_ns[i] / NS_PER_MS);
		now_ms += paths->self_ns[i] / NS_PER_MS;
	}
}

static void put_thread_head(const struct firefox_writer *writer, uint32_t number)
{
	const struct recording *recording = writer->recording;
	const struct thread *row = &recording->threads[number];
	char title[EXPORT_NAME_SIZE];

	thread_title(recording, number, title, sizeof(title));
	sink_format(writer->sink, "%s\n{\"name\":", writer->separator);
	sink_json(writer->sink, title);
	sink_format(writer->sink,
		    ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":",
		    row->system_id == recording->header.pid ? "true" : "false");
	sink_json(writer->sink, recording_program(recording));
	sink_format(writer->sink,
		    ",\"processStartupTime\":%.6f,\"processShutdownTime\":null,"
		    "\"registerTime\":%.6f,\"unregisterTime\":",
		    time_ms(writer, recording->header.start_ticks),
		    time_ms(writer, row->start_ticks));
	if (row->end_ticks)
		sink_format(writer->sink, "%.6f", time_ms(writer, row->end_ticks));
	else
		sink_text(writer->sink, "null");
	sink_format(writer->sink, ",\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu64 ",\n",
		    recording->header.pid, thread_export_id(recording, number));
}

static void note_interval(struct firefox_writer *writer, const struct firefox_thread *thread)
{
	double span_ms, interval_ms;

	if (thread->sample_count < 2)
		return;
	span_ms = thread->samples[thread->sample_count - 1].time_ms - thread->samples[0].time_ms;
	interval_ms = span_ms / (double)(thread->sample_count - 1);
	if (interval_ms > 0 && (writer->interval_ms == 0 || interval_ms < writer->interval_ms))
		writer->interval_ms = interval_ms;
}

static void firefox_put_thread(struct firefox_writer *writer, size_t index, uint32_t number,
			       const struct tree_paths *paths, uint32_t *stacks)
{
	struct firefox_thread thread;

	firefox_thread_init(&thread, writer->recording);
	if (paths)
		firefox_read_calls(writer, paths, number, stacks, &thread);
	else
		fill_from_samples(writer, index, number, &thread);
	if (thread.sample_count > 0) {
		put_thread_head(writer, number);
		firefox_thread_write(&thread, writer->sink);
		sink_byte(writer->sink, '}');
		writer->separator = ",";
		note_interval(writer, &thread);
	}
	firefox_thread_release(&thread);
}

static void firefox_put_threads(struct firefox_writer *writer, size_t index,
				const struct tree_paths *paths, uint32_t *stacks)
{
	for (uint32_t i = 0; i < writer->recording->thread_count; i++) {
		if (selection_has_thread(writer->selection, index, i) &&
		    !sink_has_failed(writer->sink))
			firefox_put_thread(writer, index, i, paths, stacks);
	}
}

static enum kymo_status firefox_put_calls(struct firefox_writer *writer, size_t index,
					  struct problem *problem)
{
	struct tree_paths paths;
	struct calltree *tree;
	uint32_t *stacks;
	enum kymo_status status = calltree_new(writer->recording, &tree, problem);

	if (status < 0)
		return status;
	stacks = xcalloc((size_t)tree->node_count + 1, sizeof(*stacks));
	tree_paths_init(&paths, tree, selection_regions(writer->selection, index));
	firefox_put_threads(writer, index, &paths, stacks);
	tree_paths_release(&paths);
	xfree(stacks);
	calltree_free(tree);
	return KYMO_OK;
}

static void put_meta(const struct firefox_writer *writer)
{
	struct export_sink *sink = writer->sink;
	const char *estimates = selection_estimate_text(writer->selection);

	sink_format(sink, "\n],\n\"meta\":{\"version\":24,\"preprocessedProfileVersion\":%s,",
		    FORMAT_VERSION);
	sink_format(sink, "\"interval\":%.6f,\"startTime\":%.6f,",
		    writer->interval_ms > 0 ? writer->interval_ms : 1,
		    (double)writer->origin_ns / NS_PER_MS);
	sink_text(sink, "\"processType\":0,\"product\":");
	sink_json(sink, recording_program(writer->selection->run->recordings[0]));
	sink_format(sink,
		    ",\"importedFrom\":\"Kymo %s\",\"stackwalk\":0,\"debug\":false,"
		    "\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
		    "\"doesNotUseFrameImplementation\":true,"
		    "\"sourceCodeIsNotOnSearchfox\":true,",
		    KYMO_VERSION);
	sink_text(sink, "\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],\"length\":0},"
			"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
			"\"threadCPUDelta\":\"ns\"},\"markerSchema\":[],\"categories\":");
	sink_text(sink, firefox_categories);
	if (estimates) {
		/* Shown with other facts about the run, at the top of the page. */
		sink_text(sink, ",\"extra\":[{\"label\":\"Kymo\",\"entries\":[{\"label\":"
				"\"Estimates\",\"format\":\"string\",\"value\":");
		sink_json(sink, estimates);
		sink_text(sink, "}]}]");
	}
	sink_text(sink, "}}\n");
}

static enum kymo_status firefox_put_document(struct firefox_writer *writer, struct problem *problem)
{
	const struct run *run = writer->selection->run;
	enum kymo_status status = KYMO_OK;

	sink_text(writer->sink, "{\"libs\":[],\"pages\":[],\"counters\":[],"
				"\"profilerOverhead\":[],\"threads\":[");
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		if (!selection_has_recording(writer->selection, i))
			continue;
		writer->recording = run->recordings[i];
		if (writer->samples->items[i].samples)
			firefox_put_threads(writer, i, NULL, NULL);
		else
			status = firefox_put_calls(writer, i, problem);
	}
	put_meta(writer);
	return status;
}

static enum kymo_status firefox_write(const struct export_source *source,
				      const struct export_options *options,
				      struct export_sink *sink, struct problem *problem)
{
	struct firefox_writer writer = {.sink = sink,
					.selection = &source->selection,
					.samples = &source->samples,
					.origin_ns = run_origin_ns(source->selection.run),
					.separator = ""};

	(void)options;
	return firefox_put_document(&writer, problem);
}

const struct exporter firefox_exporter = {
	.name = "firefox",
	.extension = "firefox.json",
	.description = "for profiler.firefox.com: samples in time order, or the call tree",
	.needs_lines = true,
	.write = firefox_write,
};
