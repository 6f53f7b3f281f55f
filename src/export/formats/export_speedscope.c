/* The speedscope exporter: one profile per thread, of the trace's events if there are any
 * ("evented"), of the call tree's paths and their own time ("sampled"), or, without calls or if
 * preferred, of the samples in the order of time ("sampled").  All times are nanoseconds since the
 * run's start. */
#include "export/export.h"

#include <math.h>
#include <stdlib.h>

#include "export/decimal.h"
#include "export/export_names.h"
#include "export/export_sink.h"
#include "export/export_source.h"
#include "export/tree_paths.h"
#include "model/functions/estimates_text.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_class.h"
#include "model/samples/sampled_stacks.h"
#include "model/trace/trace_cursor.h"

#define EVENT_BYTES_MAX 128

struct speedscope_writer {
	struct export_sink *sink;
	const struct export_selection *selection;
	const struct run_samples *samples;
	const struct recording *recording;
	uint64_t origin_ns;
	uint64_t first_frame;  /* of the recording; frames are numbered over the run */
	const char *separator; /* before the next profile */
	const char *mark;      /* suffix of profiles whose weights are estimates, "" */
};

static void speedscope_put_frames(struct export_sink *sink, const struct recording *recording,
				  const char **separator)
{
	char title[EXPORT_NAME_SIZE];

	for (uint32_t i = 0; i < recording->region_count; i++) {
		const struct region *region = &recording->regions[i];

		region_title(region, title, sizeof(title));
		sink_format(sink, "%s\n{\"name\":", *separator);
		sink_json(sink, title);
		if (region->file) {
			sink_text(sink, ",\"file\":");
			sink_json(sink, region->file);
		}
		if (region->line)
			sink_format(sink, ",\"line\":%u", region->line);
		sink_byte(sink, '}');
		*separator = ",";
	}
}

static void profile_open(struct speedscope_writer *writer, uint32_t thread, const char *type,
			 const char *unit)
{
	char title[EXPORT_NAME_SIZE], name[2 * EXPORT_NAME_SIZE];

	sink_format(writer->sink, "%s\n{\"type\":\"%s\",\"unit\":\"%s\",\"startValue\":0,",
		    writer->separator, type, unit);
	sink_text(writer->sink, "\"name\":");
	thread_title(writer->recording, thread, title, sizeof(title));
	if (writer->selection->run->recording_count > 1)
		snprintf(name, sizeof(name), "%s [%u] %s%s", recording_program(writer->recording),
			 writer->recording->header.pid, title, writer->mark);
	else
		snprintf(name, sizeof(name), "%s%s", title, writer->mark);
	sink_json(writer->sink, name);
	writer->separator = ",";
}

static void profile_close(struct speedscope_writer *writer, uint64_t end_ns)
{
	sink_format(writer->sink, "],\"endValue\":%llu}", (unsigned long long)end_ns);
}

static uint64_t event_ns(const struct speedscope_writer *writer, uint64_t ticks)
{
	uint64_t now = recording_realtime_ns(writer->recording, ticks);

	return now > writer->origin_ns ? now - writer->origin_ns : 0;
}

static void speedscope_put_event(struct speedscope_writer *writer, const char *separator,
				 bool is_enter, uint32_t region, uint64_t at_ns)
{
	static const char enter[] = "\n{\"type\":\"O\",\"frame\":",
			  leave[] = "\n{\"type\":\"C\",\"frame\":";
	static const char at[] = ",\"at\":";
	unsigned char *out;

	sink_text(writer->sink, separator);
	out = sink_reserve(writer->sink, EVENT_BYTES_MAX);
	memcpy(out, is_enter ? enter : leave, sizeof(enter) - 1);
	out = decimal_put(out + sizeof(enter) - 1, writer->first_frame + region);
	memcpy(out, at, sizeof(at) - 1);
	out = decimal_put(out + sizeof(at) - 1, at_ns);
	*out++ = '}';
	sink_fill(writer->sink, out);
}

static enum kymo_status put_evented(struct speedscope_writer *writer, uint32_t thread,
				    const bool *regions)
{
	struct trace_cursor *cursor;
	struct trace_event event;
	uint64_t last_ns = 0;
	const char *separator = "";
	enum kymo_status status = trace_cursor_new(writer->recording, thread, &cursor);

	if (status < 0)
		return status;
	profile_open(writer, thread, "evented", "nanoseconds");
	sink_text(writer->sink, ",\"events\":[");
	while (trace_cursor_next(cursor, &event) && !sink_has_failed(writer->sink)) {
		bool is_enter = event.kind == TRACE_ENTER;
		uint64_t now;

		if (!is_enter && event.kind != TRACE_LEAVE && event.kind != TRACE_UNWIND)
			continue;
		if (regions && !regions[event.region])
			continue;
		now = event_ns(writer, event.ticks);
		last_ns = now > last_ns ? now : last_ns;
		speedscope_put_event(writer, separator, is_enter, event.region, last_ns);
		separator = ",";
	}
	profile_close(writer, last_ns);
	trace_cursor_free(cursor);
	return KYMO_OK;
}

static void speedscope_put_stack(struct speedscope_writer *writer, const uint32_t *regions,
				 uint32_t count)
{
	unsigned char *out;

	sink_byte(writer->sink, '[');
	for (uint32_t i = 0; i < count; i++) {
		out = sink_reserve(writer->sink, DECIMAL_MAX + 1);
		if (i > 0)
			*out++ = ',';
		sink_fill(writer->sink, decimal_put(out, writer->first_frame + regions[i]));
	}
	sink_byte(writer->sink, ']');
}

static void speedscope_put_sample(struct speedscope_writer *writer, const struct tree_paths *paths,
				  uint32_t node)
{
	uint32_t regions[TREE_PATH_MAX];

	speedscope_put_stack(writer, regions, tree_path(paths, node, regions));
}

static bool has_sample(const struct tree_paths *paths, uint32_t node, uint32_t thread)
{
	return paths->shown[node] == node && paths->tree->nodes[node].thread == thread;
}

/* The stacks, then in the same order their weights. */
static void speedscope_put_sampled(struct speedscope_writer *writer, const struct tree_paths *paths,
				   uint32_t thread)
{
	uint64_t end_ns = 0;
	double carry = 0;
	const char *separator = "";

	profile_open(writer, thread, "sampled", "nanoseconds");
	sink_text(writer->sink, ",\"samples\":[");
	for (uint32_t i = 0; i < paths->tree->node_count; i++) {
		if (!has_sample(paths, i, thread))
			continue;
		sink_text(writer->sink, separator);
		speedscope_put_sample(writer, paths, i);
		separator = ",\n";
	}
	sink_text(writer->sink, "],\"weights\":[");
	separator = "";
	for (uint32_t i = 0; i < paths->tree->node_count; i++) {
		uint64_t weight;

		if (!has_sample(paths, i, thread))
			continue;
		weight = tree_weight(paths->self_ns[i], 1, &carry);
		end_ns += weight;
		sink_format(writer->sink, "%s%llu", separator, (unsigned long long)weight);
		separator = ",";
	}
	profile_close(writer, end_ns);
}

static enum kymo_status speedscope_put_tree(struct speedscope_writer *writer, size_t index,
					    struct problem *problem)
{
	struct tree_paths paths;
	struct calltree *tree;
	enum kymo_status status = calltree_new(writer->recording, &tree, problem);

	if (status < 0)
		return status;
	writer->mark = estimates_text(writer->recording) ? " (estimates)" : "";
	tree_paths_init(&paths, tree, selection_regions(writer->selection, index));
	for (uint32_t i = 0; i < writer->recording->thread_count; i++) {
		if (selection_has_thread(writer->selection, index, i) &&
		    !sink_has_failed(writer->sink))
			speedscope_put_sampled(writer, &paths, i);
	}
	tree_paths_release(&paths);
	calltree_free(tree);
	writer->mark = "";
	return KYMO_OK;
}

static enum sampled_weight speedscope_weight_of(const struct recording_samples *samples)
{
	return sampled_weight_of(&samples->scale, samples_weighed_by(samples));
}

struct stack_run { /* consecutive samples of one stack */
	struct sample_position position;
	double carried_ns;
	bool has_next;
	struct sample_location next;
	double next_weight;
};

static bool read_sample(const struct recording_samples *samples, uint32_t thread,
			struct stack_run *run)
{
	double weights[SAMPLED_WEIGHTS];
	struct sample sample;

	while (samples_next(samples->samples, thread, &run->position, &sample)) {
		const struct sampled_stack *stack = &samples->stacks[thread][sample.stack];

		sampled_weigh(&samples->scale, &sample, sampled_classify(&stack->leaf, &sample),
			      &run->carried_ns, weights);
		run->next = samples_location(samples, &sample);
		run->next_weight = weights[speedscope_weight_of(samples)];
		if (!isnan(run->next_weight))
			return true;
	}
	return false;
}

/* The next stack and the weight of all its consecutive samples. */
static bool next_run(const struct recording_samples *samples, uint32_t thread,
		     struct stack_run *run, struct sample_location *place_out, double *weight_out)
{
	if (!run->has_next)
		run->has_next = read_sample(samples, thread, run);
	if (!run->has_next)
		return false;
	*place_out = run->next;
	*weight_out = 0;
	while (run->has_next && run->next.stack == place_out->stack &&
	       run->next.waits_for_gil == place_out->waits_for_gil) {
		*weight_out += run->next_weight;
		run->has_next = read_sample(samples, thread, run);
	}
	return true;
}

static void put_weights(struct speedscope_writer *writer, const struct recording_samples *samples,
			uint32_t thread, uint64_t *end_out)
{
	struct stack_run run = {0};
	const char *separator = "";
	double weight, carry = 0;
	struct sample_location place;
	uint64_t sum = 0;

	while (next_run(samples, thread, &run, &place, &weight)) {
		uint64_t whole = tree_weight(weight, 1, &carry);

		sum += whole;
		sink_format(writer->sink, "%s%llu", separator, (unsigned long long)whole);
		separator = ",";
	}
	*end_out = sum;
}

static void put_samples_of(struct speedscope_writer *writer,
			   const struct recording_samples *samples, uint32_t thread,
			   const bool *selected)
{
	const char *unit = speedscope_weight_of(samples) == SAMPLED_EVENTS ? "none" : "nanoseconds";
	uint32_t regions[SAMPLE_PATH_MAX + 1];
	struct stack_run run = {0};
	struct sample_location place;
	const char *separator = "";
	uint64_t end = 0;
	double weight;

	profile_open(writer, thread, "sampled", unit);
	sink_text(writer->sink, ",\"samples\":[");
	while (next_run(samples, thread, &run, &place, &weight) && !sink_has_failed(writer->sink)) {
		sink_text(writer->sink, separator);
		speedscope_put_stack(writer, regions,
				     samples_path(samples, thread, place, selected, regions));
		separator = ",\n";
	}
	sink_text(writer->sink, "],\"weights\":[");
	put_weights(writer, samples, thread, &end);
	profile_close(writer, end);
}

static void speedscope_put_samples(struct speedscope_writer *writer, size_t index)
{
	const struct recording_samples *samples = &writer->samples->items[index];

	for (uint32_t i = 0; i < writer->recording->thread_count; i++) {
		if (selection_has_thread(writer->selection, index, i) &&
		    samples_has_thread(samples, i))
			put_samples_of(writer, samples, i,
				       selection_regions(writer->selection, index));
	}
}

static enum kymo_status put_trace(struct speedscope_writer *writer, size_t index)
{
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; i < writer->recording->thread_count && status == KYMO_OK; i++) {
		if (selection_has_thread(writer->selection, index, i))
			status =
				put_evented(writer, i, selection_regions(writer->selection, index));
	}
	return status;
}

static enum kymo_status speedscope_put_recording(struct speedscope_writer *writer, size_t index,
						 struct problem *problem)
{
	if (writer->samples->items[index].samples) {
		speedscope_put_samples(writer, index);
		return KYMO_OK;
	}
	return selection_has_trace(writer->selection, index)
		       ? put_trace(writer, index)
		       : speedscope_put_tree(writer, index, problem);
}

static void put_all_frames(struct speedscope_writer *writer)
{
	const struct run *run = writer->selection->run;
	const char *separator = "";

	sink_text(writer->sink,
		  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		  "\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < run->recording_count; i++) {
		if (selection_has_recording(writer->selection, i))
			speedscope_put_frames(writer->sink, run->recordings[i], &separator);
	}
	sink_text(writer->sink, "]},\n\"profiles\":[");
}

static enum kymo_status put_all_profiles(struct speedscope_writer *writer, struct problem *problem)
{
	const struct run *run = writer->selection->run;
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		if (!selection_has_recording(writer->selection, i))
			continue;
		writer->recording = run->recordings[i];
		status = speedscope_put_recording(writer, i, problem);
		writer->first_frame += writer->recording->region_count;
	}
	return status;
}

static enum kymo_status speedscope_put_document(struct speedscope_writer *writer,
						struct problem *problem)
{
	const char *estimates = selection_estimate_text(writer->selection);
	char name[2 * EXPORT_NAME_SIZE];
	enum kymo_status status;

	put_all_frames(writer);
	status = put_all_profiles(writer, problem);
	sink_text(writer->sink, "],\n\"name\":");
	snprintf(name, sizeof(name), "%s%s%s%s",
		 recording_program(writer->selection->run->recordings[0]), estimates ? " (" : "",
		 estimates ? estimates : "", estimates ? ")" : "");
	sink_json(writer->sink, name);
	sink_text(writer->sink,
		  ",\"activeProfileIndex\":0,\"exporter\":\"kymo@" KYMO_VERSION "\"}\n");
	return status;
}

static enum kymo_status speedscope_write(const struct export_source *source,
					 const struct export_options *options,
					 struct export_sink *sink, struct problem *problem)
{
	struct speedscope_writer writer = {.sink = sink,
					   .selection = &source->selection,
					   .samples = &source->samples,
					   .origin_ns = run_origin_ns(source->selection.run),
					   .separator = "",
					   .mark = ""};

	(void)options;
	return speedscope_put_document(&writer, problem);
}

const struct exporter speedscope_exporter = {
	.name = "speedscope",
	.extension = "speedscope.json",
	.description =
		"flame charts for speedscope.app: of the trace, of the call tree or of samples",
	.write = speedscope_write,
};
