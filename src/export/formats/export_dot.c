/* The dot exporter: the call graph for graphviz, in the style of gprof2dot.  A node is a function
 * with its share of the time, its own share and its calls; an edge has the number of calls by a
 * caller and their share of the time; colours go from dark blue to red. */
#include "export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "base/text/utf8.h"
#include "export/call_graph.h"
#include "export/call_graph_tree.h"
#include "export/export_sink.h"
#include "export/export_source.h"

/* Names are cut: graphviz reads no string beyond 16 KiB. */
#define LABEL_COLUMNS 120u
#define TOOLTIP_BYTES 8000u

struct dot_writer {
	struct export_sink *sink;
	const struct export_options *options;
	struct call_graph graph;
	uint64_t total;
};

/* Inside of a quoted string: one line, whole characters only. */
static void dot_put_escaped(struct export_sink *sink, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t step = utf8_step(text);

		if (step == 0) {
			sink_text(sink, "\xef\xbf\xbd");
			text++;
			continue;
		}
		if (*text == '"' || *text == '\\')
			sink_byte(sink, '\\');
		if (plaintext_control(text, step))
			sink_byte(sink, ' ');
		else
			sink_write(sink, text, step);
		text += step;
	}
}

static void put_cut(struct export_sink *sink, const char *text, size_t count)
{
	size_t length = utf8_offset(text, count);

	dot_put_escaped(sink, text, length);
	if (text[length])
		sink_text(sink, "\xe2\x80\xa6");
}

/* "example" of "/home/u/example.py". */
static void dot_put_module(struct export_sink *sink, const char *file)
{
	const char *name = path_shown_name(file);
	size_t length = strlen(name);

	if (length > 3 && strcmp(name + length - 3, ".py") == 0)
		length -= 3;
	if (utf8_count(name) > LABEL_COLUMNS)
		put_cut(sink, name, LABEL_COLUMNS);
	else
		dot_put_escaped(sink, name, length);
}

/* "example:3:fib"; of native code without a source the module has a line of its own. */
static void dot_put_name(struct export_sink *sink, const struct graph_function *function)
{
	if (function->file) {
		dot_put_module(sink, function->file);
		sink_text(sink, function->is_source ? ":" : "\\n");
	}
	if (function->line)
		sink_format(sink, "%" PRIu32 ":", function->line);
	put_cut(sink, function->name, LABEL_COLUMNS);
}

/* One of red, green and blue: its amount depends on the distance of hue from that colour's own, in
 * sixths of the circle. */
static double channel(double hue, double own, double saturation, double lightness)
{
	double apart = fabs(hue * 6 - own);
	double chroma = (1 - fabs(2 * lightness - 1)) * saturation;
	double level;

	if (apart > 3)
		apart = 6 - apart;
	level = apart <= 1 ? 1 : apart >= 2 ? 0 : 2 - apart;
	return lightness + chroma * (level - 0.5);
}

/* Red, green and blue of a share, from dark blue over green to red. */
static void colour_of(double share, double colour[3])
{
	double hue = 2.0 / 3 * (1 - share);
	double saturation = 0.8 + 0.2 * share, lightness = 0.25 + 0.25 * share;

	for (int i = 0; i < 3; i++)
		colour[i] = channel(hue, 2 * i, saturation, lightness);
}

static void put_colour(struct export_sink *sink, double share)
{
	double colour[3];

	colour_of(share, colour);
	sink_byte(sink, '#');
	for (int i = 0; i < 3; i++)
		sink_format(sink, "%02x", (unsigned int)(colour[i] * 255 + 0.5));
}

/* Text colour on that background. */
static const char *ink_of(double share)
{
	double colour[3];

	colour_of(share, colour);
	return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 0.55 ? "black" : "white";
}

static double dot_share_of(const struct dot_writer *writer, uint64_t time)
{
	double share = writer->total ? (double)time / (double)writer->total : 0;

	return share < 1 ? share : 1;
}

/* Without measured time nothing is left out. */
static bool dot_is_kept(const struct dot_writer *writer, uint64_t time, double threshold)
{
	return writer->total == 0 || 100 * dot_share_of(writer, time) >= threshold;
}

static bool has_node(const struct dot_writer *writer, uint32_t position)
{
	return dot_is_kept(writer, writer->graph.functions[position].total,
			   writer->options->node_threshold);
}

static void dot_put_node(struct dot_writer *writer, uint32_t position)
{
	const struct graph_function *function = &writer->graph.functions[position];
	struct export_sink *sink = writer->sink;
	double share = dot_share_of(writer, function->total);

	sink_format(sink, "\t%" PRIu32 " [color=\"", position);
	put_colour(sink, share);
	sink_format(sink, "\", fontcolor=%s, label=\"", ink_of(share));
	dot_put_name(sink, function);
	sink_format(sink, "\\n%.2f%%\\n(%.2f%%)\\n%" PRIu64 "\xc3\x97\", tooltip=\"", 100 * share,
		    100 * dot_share_of(writer, function->self), function->count);
	if (function->file)
		put_cut(sink, function->file, TOOLTIP_BYTES / 4);
	else
		put_cut(sink, function->name, TOOLTIP_BYTES / 4);
	sink_text(sink, "\"];\n");
}

static void put_edge(struct dot_writer *writer, const struct graph_call *call)
{
	struct export_sink *sink = writer->sink;
	double share = dot_share_of(writer, call->total), width = fmax(4 * share, 0.5);

	sink_format(sink, "\t%" PRIu32 " -> %" PRIu32 " [arrowsize=\"%.2f\", color=\"",
		    call->caller, call->callee, 0.5 * sqrt(width));
	put_colour(sink, share);
	sink_text(sink, "\", fontcolor=\"");
	put_colour(sink, share);
	sink_format(sink,
		    "\", label=\"%.2f%%\\n%s%" PRIu64 "\xc3\x97\", "
		    "labeldistance=\"%.2f\", penwidth=\"%.2f\"];\n",
		    100 * share, call->is_count_estimated ? "~" : "", call->count, width, width);
}

/* Below the picture, where its readers see it. */
static void dot_put_estimates(struct export_sink *sink, const struct export_selection *selection)
{
	const char *text = selection_estimate_text(selection);

	if (!text)
		return;
	sink_text(sink, "\tlabel=\"~: ");
	put_cut(sink, text, TOOLTIP_BYTES);
	sink_text(sink, "\"; labelloc=b; fontsize=10;\n");
}

static void put_graph(struct dot_writer *writer, const struct export_selection *selection)
{
	struct call_graph *graph = &writer->graph;

	call_graph_sort(graph);
	for (size_t i = 0; i < graph->function_count; i++)
		writer->total += graph->functions[i].self;
	sink_text(writer->sink,
		  "digraph {\n\ttooltip=\" \"\n"
		  "\tgraph [charset=\"UTF-8\", fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
		  "\tnode [fontname=Arial, fontsize=10, height=0, shape=box, style=filled, "
		  "width=0];\n\tedge [fontname=Arial, fontsize=10];\n");
	dot_put_estimates(writer->sink, selection);
	for (uint32_t i = 0; i < graph->function_count; i++) {
		if (has_node(writer, i))
			dot_put_node(writer, i);
	}
	for (size_t i = 0; i < graph->call_count && !sink_has_failed(writer->sink); i++) {
		const struct graph_call *call = &graph->calls[i];

		if (dot_is_kept(writer, call->total, writer->options->edge_threshold) &&
		    has_node(writer, call->caller) && has_node(writer, call->callee))
			put_edge(writer, call);
	}
	sink_text(writer->sink, "}\n");
}

static enum kymo_status dot_add_recording(struct call_graph *graph,
					  const struct export_selection *selection,
					  const struct recording_samples *samples, size_t index,
					  struct problem *problem)
{
	struct call_graph_input part = {
		.regions = selection_regions(selection, index),
	};
	struct call_graph_tree *tree;
	enum kymo_status status = call_graph_tree_open(samples, part, &tree, problem);

	if (status < 0)
		return status;
	for (uint32_t i = 0; i < samples->recording->thread_count; i++) {
		if (selection_has_thread(selection, index, i))
			call_graph_add(graph, tree, i, NULL);
	}
	call_graph_tree_free(tree);
	return KYMO_OK;
}

static enum kymo_status dot_put_run(struct dot_writer *writer,
				    const struct export_selection *selection,
				    const struct run_samples *samples, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < samples->count && status == KYMO_OK; i++) {
		if (selection_has_recording(selection, i))
			status = dot_add_recording(&writer->graph, selection, &samples->items[i], i,
						   problem);
	}
	if (status == KYMO_OK)
		put_graph(writer, selection);
	call_graph_release(&writer->graph);
	return status;
}

static enum kymo_status dot_write(const struct export_source *source,
				  const struct export_options *options, struct export_sink *sink,
				  struct problem *problem)
{
	struct dot_writer writer = {.sink = sink, .options = options};

	return dot_put_run(&writer, &source->selection, &source->samples, problem);
}

const struct exporter dot_exporter = {
	.name = "dot",
	.extension = "dot",
	.description = "call graph for graphviz, as gprof2dot draws it",
	.write = dot_write,
};
