/* The callgrind exporter: functions, their lines and their calls, for KCachegrind,
 * callgrind_annotate and other readers of callgrind's files.  A part for each thread, which
 * KCachegrind lists by process and thread; below a function named like the thread, so that every
 * other one has a caller.
 *
 * Readers take the sum over a function's callers as its inclusive cost.  So a call has a cost only
 * while its callee was not open already, as with callgrind itself. */
#include "export/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "base/text/utf8.h"
#include "command/xalloc.h"
#include "export/call_graph.h"
#include "export/call_graph_tree.h"
#include "export/export_names.h"
#include "export/export_sink.h"
#include "export/export_source.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_class.h"

struct callgrind_writer {
	struct export_sink *sink;
	const struct export_selection *selection;
	const struct run_samples *samples;
	struct call_graph graph;
	/* Of the part: names already written. */
	bool *has_file, *has_name;
	size_t part_count;
	uint32_t pid; /* of the previous part */
	uint64_t time, visits;
};

/* One line of valid characters, not empty: "(1)" alone would refer to an earlier name. */
static void callgrind_put_text(struct export_sink *sink, const char *text)
{
	bool is_blank = true;

	while (*text) {
		size_t step = utf8_step(text);
		bool is_space = *text == ' ' || (step && plaintext_control(text, step));

		if (step == 0)
			sink_text(sink, "\xef\xbf\xbd");
		else if (is_space && !is_blank)
			sink_byte(sink, ' ');
		else if (!is_space)
			sink_write(sink, text, step);
		is_blank &= is_space;
		text += step ? step : 1;
	}
	if (is_blank)
		sink_byte(sink, '?');
}

/* A native module is written without its path: readers would show it as a source. */
static const char *callgrind_file_name(const struct graph_function *function)
{
	if (!function->file)
		return "???";
	return function->is_source ? function->file : path_base_name(function->file);
}

/* "fl=(3) /home/u/a.py", later "fl=(3)". */
static void put_file(struct callgrind_writer *writer, const char *key, uint32_t function)
{
	uint32_t owner = writer->graph.functions[function].file_owner;

	sink_format(writer->sink, "%s=(%" PRIu32 ")", key, owner + 1);
	if (!writer->has_file[owner]) {
		sink_byte(writer->sink, ' ');
		callgrind_put_text(writer->sink,
				   callgrind_file_name(&writer->graph.functions[owner]));
		writer->has_file[owner] = true;
	}
	sink_byte(writer->sink, '\n');
}

/* Readers identify functions by file and name: of several with the same the later ones get their
 * lines. */
static void callgrind_put_name(struct callgrind_writer *writer, const char *key, uint32_t position)
{
	const struct graph_function *function = &writer->graph.functions[position];

	sink_format(writer->sink, "%s=(%" PRIu32 ")", key, position + 1);
	if (!writer->has_name[position]) {
		sink_byte(writer->sink, ' ');
		callgrind_put_text(writer->sink, function->name);
		if (function->is_namesake)
			sink_format(writer->sink, ":%" PRIu32, function->line);
		writer->has_name[position] = true;
	}
	sink_byte(writer->sink, '\n');
}

static void put_call(struct callgrind_writer *writer, const struct graph_call *call)
{
	const struct graph_function *functions = writer->graph.functions;

	if (functions[call->caller].file_owner != functions[call->callee].file_owner)
		put_file(writer, "cfl", call->callee);
	callgrind_put_name(writer, "cfn", call->callee);
	sink_format(writer->sink,
		    "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
		    call->count ? call->count : 1, functions[call->callee].line, call->line,
		    call->outermost, call->outermost_visits);
}

/* Costs and calls are sorted by function. */
static void callgrind_put_functions(struct callgrind_writer *writer)
{
	const struct call_graph *graph = &writer->graph;
	size_t cost = 0, call = 0;

	for (uint32_t i = 0; i < graph->function_count && !sink_has_failed(writer->sink); i++) {
		if ((cost == graph->cost_count || graph->costs[cost].function != i) &&
		    (call == graph->call_count || graph->calls[call].caller != i))
			continue;
		sink_byte(writer->sink, '\n');
		put_file(writer, "fl", i);
		callgrind_put_name(writer, "fn", i);
		for (; cost < graph->cost_count && graph->costs[cost].function == i; cost++) {
			sink_format(writer->sink, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
				    graph->costs[cost].line, graph->costs[cost].self,
				    graph->costs[cost].visits);
			writer->time += graph->costs[cost].self;
			writer->visits += graph->costs[cost].visits;
		}
		for (; call < graph->call_count && graph->calls[call].caller == i; call++)
			put_call(writer, &graph->calls[call]);
	}
}

static const char *events_of(const struct recording_samples *samples)
{
	if (!samples->samples)
		return "Time_(ns) Calls";
	return sampled_weight_of(&samples->scale, samples_weighed_by(samples)) == SAMPLED_EVENTS
		       ? "Events Samples"
		       : "Time_(ns) Samples";
}

/* KCachegrind begins a part with its thread.  callgrind_annotate only supports one part and warns
 * of other lines that begin one, so only the necessary ones are written. */
static void put_part_head(struct callgrind_writer *writer, const struct recording_samples *samples,
			  uint32_t thread)
{
	uint32_t pid = samples->recording->header.pid;

	sink_format(writer->sink, "%sthread: %" PRIu32 "\n", writer->part_count ? "\n" : "",
		    thread + 1);
	if (writer->part_count == 0 || writer->pid != pid)
		sink_format(writer->sink, "pid: %" PRIu32 "\n", pid);
	sink_format(writer->sink, "events: %s\n", events_of(samples));
	writer->pid = pid;
	writer->part_count++;
}

static void callgrind_put_part(struct callgrind_writer *writer,
			       const struct recording_samples *samples, uint32_t thread)
{
	size_t count = writer->graph.function_count + 1;

	if (writer->graph.call_count == 0)
		return;
	writer->has_file = xcalloc(count, sizeof(*writer->has_file));
	writer->has_name = xcalloc(count, sizeof(*writer->has_name));
	call_graph_sort(&writer->graph);
	put_part_head(writer, samples, thread);
	callgrind_put_functions(writer);
	xfree(writer->has_file);
	xfree(writer->has_name);
}

/* "MainThread", with several processes "example.py [123] MainThread". */
static void name_root(const struct callgrind_writer *writer, const struct recording *recording,
		      uint32_t thread, char *name, size_t size)
{
	char title[EXPORT_NAME_SIZE];

	thread_title(recording, thread, title, sizeof(title));
	if (writer->samples->count > 1)
		snprintf(name, size, "%s [%" PRIu32 "] %s", recording_program(recording),
			 recording->header.pid, title);
	else
		snprintf(name, size, "%s", title);
}

static void callgrind_put_threads(struct callgrind_writer *writer, size_t index,
				  struct call_graph_tree *tree)
{
	const struct recording_samples *samples = &writer->samples->items[index];
	char root[2 * EXPORT_NAME_SIZE];

	for (uint32_t i = 0; i < samples->recording->thread_count; i++) {
		if (!selection_has_thread(writer->selection, index, i))
			continue;
		name_root(writer, samples->recording, i, root, sizeof(root));
		call_graph_add(&writer->graph, tree, i, root);
		callgrind_put_part(writer, samples, i);
		call_graph_clear(&writer->graph);
	}
}

static enum kymo_status callgrind_put_recording(struct callgrind_writer *writer, size_t index,
						struct problem *problem)
{
	const struct recording_samples *samples = &writer->samples->items[index];
	struct call_graph_input part = {
		.regions = selection_regions(writer->selection, index),
		.has_roots = true,
	};
	struct call_graph_tree *tree;
	enum kymo_status status = call_graph_tree_open(samples, part, &tree, problem);

	if (status < 0)
		return status;
	callgrind_put_threads(writer, index, tree);
	call_graph_tree_free(tree);
	return KYMO_OK;
}

static enum kymo_status callgrind_put_run(struct callgrind_writer *writer, struct problem *problem)
{
	const struct run *run = writer->selection->run;
	const char *estimates = selection_estimate_text(writer->selection);
	enum kymo_status status = KYMO_OK;

	sink_text(writer->sink,
		  "# callgrind format\nversion: 1\ncreator: kymo-" KYMO_VERSION "\ncmd: ");
	callgrind_put_text(writer->sink, recording_program(run->recordings[0]));
	sink_text(writer->sink, "\n");
	if (estimates)
		sink_format(writer->sink, "desc: Estimates: %s\n", estimates);
	sink_text(writer->sink, "positions: line\n");
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		if (selection_has_recording(writer->selection, i))
			status = callgrind_put_recording(writer, i, problem);
	}
	if (writer->part_count == 0)
		sink_text(writer->sink, "events: Time_(ns) Calls\n");
	sink_format(writer->sink, "\ntotals: %" PRIu64 " %" PRIu64 "\n", writer->time,
		    writer->visits);
	call_graph_release(&writer->graph);
	return status;
}

static enum kymo_status callgrind_write(const struct export_source *source,
					const struct export_options *options,
					struct export_sink *sink, struct problem *problem)
{
	struct callgrind_writer writer = {.sink = sink,
					  .selection = &source->selection,
					  .samples = &source->samples,
					  .graph = {.has_lines = true, .has_qualnames = true}};

	(void)options;
	return callgrind_put_run(&writer, problem);
}

const struct exporter callgrind_exporter = {
	.name = "callgrind",
	.extension = "callgrind.out",
	.description = "functions, lines and calls for KCachegrind and callgrind_annotate",
	.needs_lines = true, /* the purpose of the format */
	.write = callgrind_write,
};
