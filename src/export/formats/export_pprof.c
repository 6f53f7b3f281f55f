/* The pprof exporter: profile.proto, of samples if a recording shows these, else of the call tree.
 * Each stack of each thread is one sample with the sums of all values, so its size depends on the
 * number of different stacks, not on the duration of the run. */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#include "export/export_names.h"
#include "export/export_source.h"
#include "export/formats/pprof_profile.h"
#include "export/formats/pprof_sums.h"
#include "export/tree_paths.h"
#include "model/code/symbols.h"
#include "model/recording/recording_open.h"

static const struct {
	const char *type, *unit;
} columns[PPROF_COLUMNS] = {
	[COLUMN_CALLS] = {"calls", "count"},	 [COLUMN_SAMPLES] = {"samples", "count"},
	[COLUMN_WALL] = {"wall", "nanoseconds"}, [COLUMN_CPU] = {"cpu", "nanoseconds"},
	[COLUMN_EVENTS] = {"events", "count"},
};

struct pprof_writer {
	struct pprof_profile profile;
	const struct export_selection *selection;
	const struct run_samples *samples;
	struct pprof_sums sums;
	/* Of the recording and thread being written. */
	size_t index;
	struct pprof_label labels[2];
	size_t label_count;
	char title[EXPORT_NAME_SIZE];
};

static void pprof_begin_thread(struct pprof_writer *writer, uint32_t thread)
{
	const struct recording *recording = writer->samples->items[writer->index].recording;

	thread_title(recording, thread, writer->title, sizeof(writer->title));
	writer->labels[0] = (struct pprof_label){.key = "thread", .text = writer->title};
	writer->labels[1] = (struct pprof_label){.key = "process", .number = recording->header.pid};
	writer->label_count = writer->samples->count > 1 ? 2 : 1;
}

static void pprof_put_sample(struct pprof_writer *writer, const uint64_t *locations, size_t count,
			     const double sums[PPROF_COLUMNS])
{
	int64_t values[PPROF_COLUMNS];
	size_t value_count = 0;
	bool has_value = false;

	for (int i = 0; i < PPROF_COLUMNS; i++) {
		if (!writer->sums.has[i])
			continue;
		values[value_count] = (int64_t)(sums[i] + 0.5);
		has_value |= values[value_count++] != 0;
	}
	if (has_value && count > 0)
		pprof_sample(&writer->profile, locations, count, values, value_count,
			     writer->labels, writer->label_count);
}

/* If the system name equals the name, pprof demangles it, which leaves nothing of "<module>". */
static struct pprof_function pprof_function_of(const struct region *region)
{
	return (struct pprof_function){
		.name = region->qualname ? region->qualname : region->name,
		.system_name = region->qualname && strcmp(region->qualname, region->name) != 0
				       ? region->name
				       : NULL,
		.file = region->file,
	};
}

/* The selected functions of a frame, innermost first. */
static size_t pprof_lines_of(const struct pprof_writer *writer, const struct sampled_frame *frame,
			     struct pprof_line *lines)
{
	const struct recording_samples *samples = &writer->samples->items[writer->index];
	const bool *selected = selection_regions(writer->selection, writer->index);
	struct sample_code code;
	size_t count = 0;

	for (uint32_t i = frame->region_count; i-- > 0 && count < PPROF_LINES_MAX;) {
		uint32_t id = sampled_frames_region(samples->frames, frame, i);
		const struct region *region = &samples->recording->regions[id];

		if (selected && !selected[id])
			continue;
		lines[count].function = pprof_function_of(region);
		lines[count++].line = region->flags & REGION_IS_LINE ? region->line : 0;
	}
	if (count == 1 && kymo_frame_kind(frame->word) == KYMO_FRAME_PYTHON &&
	    samples_code(samples->recording, (uint32_t)(kymo_frame_content(frame->word) >> 32),
			 &code))
		lines[0].function.first_line = code.first_line;
	return count;
}

static uint64_t mapping_of(struct pprof_writer *writer, const struct module *module)
{
	const struct recording *recording = writer->samples->items[writer->index].recording;
	struct pprof_mapping mapping = {
		.owner = writer->index,
		.key = (uint64_t)(module - recording->modules),
		.start = module->start,
		.end = module->end,
		.file = module->path,
		.build_id = module->build_id,
	};

	return pprof_mapping(&writer->profile, &mapping);
}

/* The first mapping must be the program's own. */
static void put_program(struct pprof_writer *writer)
{
	const struct recording *recording = writer->samples->items[writer->index].recording;
	const char *path = recording_note(recording, KYMO_NOTE_INFO, "executable");

	for (size_t i = 0; path && i < recording->module_count; i++) {
		if (strcmp(recording->modules[i].path, path) == 0) {
			mapping_of(writer, &recording->modules[i]);
			return;
		}
	}
}

static void locate_address(struct pprof_writer *writer, struct pprof_location *location)
{
	const struct recording *recording = writer->samples->items[writer->index].recording;
	const struct module *module;

	location->address = kymo_frame_content(location->key);
	module = symbols_module_at(recording, location->address);
	if (module)
		location->mapping = mapping_of(writer, module);
}

/* 0 = nothing of it is selected. */
static uint64_t location_of_frame(struct pprof_writer *writer, const struct sampled_frame *frame)
{
	struct pprof_line lines[PPROF_LINES_MAX];
	struct pprof_location location = {
		.owner = 2 * writer->index,
		.key = frame->word,
		.lines = lines,
	};
	uint64_t known = pprof_known_location(&writer->profile, location.owner, location.key);

	if (known)
		return known;
	location.line_count = pprof_lines_of(writer, frame, lines);
	if (location.line_count == 0)
		return 0;
	if (kymo_frame_kind(frame->word) == KYMO_FRAME_NATIVE)
		locate_address(writer, &location);
	return pprof_location(&writer->profile, &location);
}

static uint64_t location_of_wait(struct pprof_writer *writer)
{
	const struct recording_samples *samples = &writer->samples->items[writer->index];
	const bool *selected = selection_regions(writer->selection, writer->index);
	struct pprof_line line = {
		.function = pprof_function_of(&samples->recording->regions[samples->wait_region]),
	};
	struct pprof_location location = {
		.owner = 2 * writer->index,
		.key = UINT64_MAX, /* no frame has it */
		.lines = &line,
		.line_count = 1,
	};

	return selected && !selected[samples->wait_region]
		       ? 0
		       : pprof_location(&writer->profile, &location);
}

static void pprof_put_stack(struct pprof_writer *writer, uint32_t thread,
			    struct sample_location place, const struct pprof_stack_sum *sum)
{
	const struct recording_samples *samples = &writer->samples->items[writer->index];
	const struct sampled_frame *frames[SAMPLE_PATH_MAX];
	uint32_t count = samples_frames(samples, thread, place.stack, frames);
	uint64_t locations[SAMPLE_PATH_MAX + 1], id;
	size_t placed = 0;

	if (place.waits_for_gil && (id = location_of_wait(writer)) != 0)
		locations[placed++] = id;
	for (uint32_t i = 0; i < count; i++) {
		id = location_of_frame(writer, frames[i]);
		if (id)
			locations[placed++] = id;
	}
	pprof_put_sample(writer, locations, placed, sum->values);
}

static bool has_values(const struct pprof_stack_sum *sum)
{
	for (int i = 0; i < PPROF_COLUMNS; i++)
		if (sum->values[i] > 0)
			return true;
	return false;
}

static void pprof_put_samples(struct pprof_writer *writer)
{
	const struct recording_samples *samples = &writer->samples->items[writer->index];

	put_program(writer);
	for (uint32_t i = 0; i < samples->recording->thread_count; i++) {
		const struct pprof_stack_sum *sums = writer->sums.stacks[writer->index][i];
		uint32_t count = samples_stack_count(samples->samples, i);

		if (!sums)
			continue;
		pprof_begin_thread(writer, i);
		for (uint32_t k = 0; k < count; k++) {
			if (has_values(&sums[k]))
				pprof_put_stack(writer, i, (struct sample_location){k, false},
						&sums[k]);
			if (has_values(&sums[(size_t)count + k]))
				pprof_put_stack(writer, i, (struct sample_location){k, true},
						&sums[(size_t)count + k]);
		}
	}
}

static uint64_t location_of_region(struct pprof_writer *writer, const struct recording *recording,
				   uint32_t id)
{
	const struct region *region = &recording->regions[id];
	struct pprof_line line = {.function = pprof_function_of(region), .line = region->line};
	struct pprof_location location = {
		.owner = 2 * writer->index + 1,
		.key = id,
		.lines = &line,
		.line_count = 1,
	};

	line.function.first_line = region->line;
	return pprof_location(&writer->profile, &location);
}

static void pprof_put_path(struct pprof_writer *writer, const struct tree_paths *paths,
			   uint32_t node)
{
	const struct calltree_node *row = &paths->tree->nodes[node];
	double sums[PPROF_COLUMNS] = {
		[COLUMN_CALLS] = (double)row->count,
		[COLUMN_WALL] = paths->self_ns[node],
	};
	uint32_t regions[TREE_PATH_MAX];
	uint64_t locations[TREE_PATH_MAX];
	uint32_t count = tree_path(paths, node, regions);

	for (uint32_t i = 0; i < count; i++)
		locations[i] =
			location_of_region(writer, paths->tree->recording, regions[count - 1 - i]);
	writer->sums.totals[COLUMN_CALLS] += sums[COLUMN_CALLS];
	writer->sums.totals[COLUMN_WALL] += sums[COLUMN_WALL];
	pprof_begin_thread(writer, row->thread);
	pprof_put_sample(writer, locations, count, sums);
}

static enum kymo_status pprof_put_calls(struct pprof_writer *writer, struct problem *problem)
{
	const struct recording *recording = writer->samples->items[writer->index].recording;
	struct tree_paths paths;
	struct calltree *tree;
	enum kymo_status status = calltree_new(recording, &tree, problem);

	if (status < 0)
		return status;
	tree_paths_init(&paths, tree, selection_regions(writer->selection, writer->index));
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (paths.shown[i] == i &&
		    selection_has_thread(writer->selection, writer->index, tree->nodes[i].thread))
			pprof_put_path(writer, &paths, i);
	tree_paths_release(&paths);
	calltree_free(tree);
	return KYMO_OK;
}

static void put_types(struct pprof_writer *writer)
{
	enum pprof_column shown = writer->sums.has[COLUMN_WALL]	 ? COLUMN_WALL
				  : writer->sums.has[COLUMN_CPU] ? COLUMN_CPU
								 : COLUMN_EVENTS;

	for (int i = 0; i < PPROF_COLUMNS; i++)
		if (writer->sums.has[i])
			pprof_sample_type(&writer->profile, columns[i].type, columns[i].unit);
	pprof_default_type(&writer->profile, columns[shown].type);
	/* The achieved rate, not the requested one. */
	if (writer->sums.totals[COLUMN_SAMPLES] > 0)
		pprof_period(&writer->profile, columns[shown].type, columns[shown].unit,
			     (uint64_t)(writer->sums.totals[shown] /
					writer->sums.totals[COLUMN_SAMPLES]));
}

static void put_facts(struct pprof_writer *writer)
{
	const struct run *run = writer->selection->run;
	uint64_t start_ns = run_origin_ns(run), end_ns = start_ns;
	const char *command = recording_note(run->recordings[0], KYMO_NOTE_INFO, "command");
	const char *estimates = selection_estimate_text(writer->selection);

	pprof_comment(&writer->profile, "recorded by kymo " KYMO_VERSION);
	if (command)
		pprof_comment(&writer->profile, command);
	if (estimates)
		pprof_comment(&writer->profile, estimates);
	for (size_t i = 0; i < run->recording_count; i++) {
		const struct recording *recording = run->recordings[i];
		uint64_t now = recording_realtime_ns(recording, recording->end_ticks);

		end_ns = now > end_ns ? now : end_ns;
		for (size_t k = 0; k < recording->note_count; k++)
			if (recording->notes[k].kind == KYMO_NOTE_LOSS)
				pprof_comment(&writer->profile, recording->notes[k].value);
	}
	pprof_times(&writer->profile, start_ns, end_ns - start_ns);
}

static enum kymo_status pprof_put_document(struct pprof_writer *writer, struct export_sink *sink,
					   struct problem *problem)
{
	enum kymo_status status = pprof_begin(&writer->profile, sink);

	if (status < 0)
		return status;
	put_types(writer);
	put_facts(writer);
	for (size_t i = 0; i < writer->samples->count && status == KYMO_OK; i++) {
		writer->index = i;
		if (writer->sums.stacks[i])
			pprof_put_samples(writer);
		else if (selection_has_recording(writer->selection, i))
			status = pprof_put_calls(writer, problem);
	}
	pprof_end(&writer->profile);
	return status;
}

static enum kymo_status pprof_put_run(const struct export_selection *selection,
				      const struct run_samples *samples, struct export_sink *sink,
				      struct problem *problem)
{
	struct pprof_writer writer = {.selection = selection, .samples = samples};

	pprof_sums_init(&writer.sums, selection, samples);
	return pprof_put_document(&writer, sink, problem);
}

static enum kymo_status pprof_write(const struct export_source *source,
				    const struct export_options *options, struct export_sink *sink,
				    struct problem *problem)
{
	(void)options;
	return pprof_put_run(&source->selection, &source->samples, sink, problem);
}

const struct exporter pprof_exporter = {
	.name = "pprof",
	.extension = "pb.gz",
	.description = "stacks with lines for pprof: of samples, or the call tree",
	.is_binary = true,
	/* pprof selects lines and inlined functions itself. */
	.needs_lines = true,
	.needs_inlines = true,
	.write = pprof_write,
};
