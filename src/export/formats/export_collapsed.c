/* The collapsed exporter: one line per call path, `frame;frame;leaf weight`, the weight being the
 * path's own time in whole microseconds, or its events.  For flame graph tools. */
#include "export/export.h"

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "base/text/utf8.h"
#include "command/xalloc.h"
#include "export/export_names.h"
#include "export/export_sink.h"
#include "export/export_source.h"
#include "export/tree_paths.h"
#include "model/recording/recording_open.h"

#define UNIT_NS 1000.0

struct collapsed_writer {
	struct export_sink *sink;
	const struct export_selection *selection;
	const struct recording *recording;
	char **frames; /* per region, NULL = not made yet */
	double unit_ns, carry;
};

/* A frame ends at ';', a stack at the last space before the line's end. */
static void put_frame(struct export_sink *sink, const char *text)
{
	while (*text) {
		size_t step = utf8_step(text);

		if (step == 0)
			sink_text(sink, "\xef\xbf\xbd");
		else if (plaintext_control(text, step))
			sink_byte(sink, ' ');
		else if (*text == ';')
			sink_byte(sink, ':');
		else
			sink_write(sink, text, step);
		text += step ? step : 1;
	}
}

/* "fib (example.py:3)"; a label that has the file already is unchanged. */
static char *frame_make(const struct region *region)
{
	char title[EXPORT_NAME_SIZE];

	region_title(region, title, sizeof(title));
	if (!region->file || (region->flags & KYMO_REGION_LABEL_FILE))
		return xstrdup(title);
	if (region->line)
		return xasprintf("%s (%s:%u)", title, path_shown_name(region->file), region->line);
	return xasprintf("%s (%s)", title, path_shown_name(region->file));
}

static const char *frame_get(struct collapsed_writer *writer, uint32_t region)
{
	if (!writer->frames[region])
		writer->frames[region] = frame_make(&writer->recording->regions[region]);
	return writer->frames[region];
}

/* Processes and threads are frames if there is more than one of them. */
static void collapsed_put_origin(struct collapsed_writer *writer, uint32_t thread)
{
	const struct recording *recording = writer->recording;
	char title[EXPORT_NAME_SIZE];

	if (writer->selection->run->recording_count > 1) {
		put_frame(writer->sink, recording_program(recording));
		sink_format(writer->sink, " [%u];", recording->header.pid);
	}
	if (recording->thread_count > 1) {
		thread_title(recording, thread, title, sizeof(title));
		put_frame(writer->sink, title);
		sink_byte(writer->sink, ';');
	}
}

static void collapsed_put_path(struct collapsed_writer *writer, const struct tree_paths *paths,
			       uint32_t node)
{
	uint64_t weight = tree_weight(paths->self_ns[node], writer->unit_ns, &writer->carry);
	uint32_t regions[TREE_PATH_MAX], count;

	if (weight == 0)
		return;
	collapsed_put_origin(writer, paths->tree->nodes[node].thread);
	count = tree_path(paths, node, regions);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			sink_byte(writer->sink, ';');
		put_frame(writer->sink, frame_get(writer, regions[i]));
	}
	sink_format(writer->sink, " %llu\n", (unsigned long long)weight);
}

static void collapsed_put_tree(struct collapsed_writer *writer, size_t index,
			       const struct calltree *tree)
{
	struct tree_paths paths;

	tree_paths_init(&paths, tree, selection_regions(writer->selection, index));
	for (uint32_t i = 0; i < tree->node_count && !sink_has_failed(writer->sink); i++) {
		if (paths.shown[i] == i &&
		    selection_has_thread(writer->selection, index, tree->nodes[i].thread))
			collapsed_put_path(writer, &paths, i);
	}
	tree_paths_release(&paths);
}

static enum kymo_status collapsed_put_recording(struct collapsed_writer *writer, size_t index,
						const struct recording_samples *samples,
						struct problem *problem)
{
	const struct recording *recording = samples->recording;
	bool has_events = samples->samples && samples_weighed_by(samples) == SAMPLED_BY_EVENT;
	struct calltree *tree;
	enum kymo_status status = samples_or_calls_tree_new(samples, &tree, problem);

	if (status < 0)
		return status;
	writer->recording = recording;
	writer->unit_ns = has_events ? 1 : UNIT_NS;
	writer->frames = xcalloc((size_t)recording->region_count + 1, sizeof(*writer->frames));
	collapsed_put_tree(writer, index, tree);
	for (uint32_t i = 0; i < recording->region_count; i++)
		xfree(writer->frames[i]);
	xfree(writer->frames);
	calltree_free(tree);
	return KYMO_OK;
}

/* The format has no comments: some readers reject a line that is no stack, others warn about it. A
 * stack of weight 0 is valid for all of them, and none draws it. */
static void collapsed_put_estimates(struct export_sink *sink,
				    const struct export_selection *selection)
{
	const char *text = selection_estimate_text(selection);

	if (!text)
		return;
	sink_text(sink, "[kymo: ");
	put_frame(sink, text);
	sink_text(sink, "] 0\n");
}

static enum kymo_status collapsed_write(const struct export_source *source,
					const struct export_options *options,
					struct export_sink *sink, struct problem *problem)
{
	struct collapsed_writer writer = {.sink = sink, .selection = &source->selection};
	enum kymo_status status = KYMO_OK;

	(void)options;
	collapsed_put_estimates(sink, &source->selection);
	for (size_t i = 0; i < source->samples.count && status == KYMO_OK; i++) {
		if (selection_has_recording(&source->selection, i))
			status = collapsed_put_recording(&writer, i, &source->samples.items[i],
							 problem);
	}
	return status;
}

const struct exporter collapsed_exporter = {
	.name = "collapsed",
	.extension = "folded",
	.description = "call paths with their self time in microseconds, for flame graph tools",
	.write = collapsed_write,
};
