/* Regions, threads, notes, series and modules of a recording, by recording_table.h. */
#include "model/recording/recording_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/metric.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"
#include "model/recording/recording_table.h"

#define UNKNOWN_NAME "(unknown)"

const char *recording_keep(struct recording *recording, const char *text)
{
	return lines_add(&recording->texts, &recording->text_count, "%s", text)
		       ? recording->texts[recording->text_count - 1]
		       : NULL;
}

uint32_t recording_add_region(struct recording *recording, const struct region *region)
{
	struct region *regions =
		recording->region_count < UINT32_MAX
			? array_grow(recording->regions, &recording->region_capacity,
				     recording->region_count + (size_t)1, sizeof(*regions))
			: NULL;

	if (!regions)
		return 0;
	recording->regions = regions;
	regions[recording->region_count] = *region;
	return recording->region_count++;
}

static void region_load(struct recording *recording, uint32_t id, const void *record, unsigned *bad)
{
	const struct kymo_region *source = record;
	struct region *region = &recording->regions[id];

	/* An unknown kind of a later version is displayed by its name, as USER is. */
	region->kind = source->kind <= KYMO_REGION_INSTANT ? (enum kymo_region_kind)source->kind
							   : KYMO_REGION_USER;
	region->flags = source->flags;
	region->name = recording_text(recording, source->name, bad);
	region->qualname = recording_text(recording, source->qualname, bad);
	region->module = recording_text(recording, source->module, bad);
	region->file = recording_text(recording, source->file, bad);
	region->arguments = recording_text(recording, source->arguments, bad);
	region->line = source->line;
	region->argument_count = source->argument_count;
	region->local_count = source->local_count;
	region->stack_size = source->stack_size;
}

static enum kymo_status load_regions(struct recording *recording)
{
	uint32_t length = recording_table_length(recording, KYMO_CHUNK_REGIONS);

	recording->region_count = length ? length : 1;
	recording->region_capacity = recording->region_count;
	recording->regions = calloc(recording->region_count, sizeof(*recording->regions));
	if (!recording->regions)
		return KYMO_MEMORY;
	recording_table_load(recording, KYMO_CHUNK_REGIONS, length, region_load);
	for (uint32_t id = 0; id < recording->region_count; id++) {
		if (!recording->regions[id].name)
			recording->regions[id].name = UNKNOWN_NAME;
	}
	return KYMO_OK;
}

static void thread_load(struct recording *recording, uint32_t number, const void *record,
			unsigned *bad)
{
	const struct kymo_thread_record *source = record;
	const bool is_merged = recording->header.flags & KYMO_HEADER_MERGED;
	struct thread *thread = &recording->threads[number];

	if (source->number != number) {
		recording_add_problem(recording, "thread %u calls itself %u; left out", number,
				      source->number);
		return;
	}
	*thread = (struct thread){
		.is_present = true,
		.flags = source->flags,
		.system_id = source->system_id,
		.start_ticks = source->start_ticks,
		.end_ticks = source->end_ticks,
		/* Threads are numbered in the order of their start: none can have a later
		 * parent. */
		.parent = source->parent < number ? source->parent : KYMO_NO_THREAD,
		.parent_node = source->parent_node,
		.root_node = source->root_node,
		.name = recording_text(recording, __atomic_load_n(&source->name, __ATOMIC_ACQUIRE),
				       bad),
		.lost_events = source->lost_events,
		.folded = source->folded,
		.resynced = source->resynced,
		.cpu_ns = source->cpu_ns,
		.misused_ends = source->misused_ends,
		.never_ended = source->never_ended,
		.measuring_ns = is_merged ? source->measuring_ns : 0,
		.waited_ns = source->waited_ns,
		.off_ticks = is_merged ? 0 : source->off_ticks,
	};
}

static enum kymo_status load_threads(struct recording *recording)
{
	uint32_t length = recording_table_length(recording, KYMO_CHUNK_THREADS);

	recording->thread_count = length;
	recording->threads = calloc(length ? length : 1, sizeof(*recording->threads));
	if (!recording->threads)
		return KYMO_MEMORY;
	recording_table_load(recording, KYMO_CHUNK_THREADS, length, thread_load);
	return KYMO_OK;
}

static void series_load(struct recording *recording, uint32_t id, const void *record, unsigned *bad)
{
	const struct kymo_series *source = record;

	recording->series[id] = (struct series){
		.name = recording_text(recording, source->name, bad),
		.unit = recording_text(recording, source->unit, bad),
		.thread = source->thread,
	};
}

static enum kymo_status load_series(struct recording *recording)
{
	uint32_t length = recording_table_length(recording, KYMO_CHUNK_SERIES);

	recording->series_count = length;
	recording->series = calloc(length ? length : 1, sizeof(*recording->series));
	if (!recording->series)
		return KYMO_MEMORY;
	recording_table_load(recording, KYMO_CHUNK_SERIES, length, series_load);
	for (uint32_t id = 0; id < length; id++) {
		if (!recording->series[id].name)
			recording->series[id].name = UNKNOWN_NAME;
		if (!recording->series[id].unit)
			recording->series[id].unit = "";
	}
	return KYMO_OK;
}

/* A note of at most available bytes; its size, or 0 if it is invalid. */
static uint64_t note_read(const unsigned char *bytes, uint64_t available, struct note *out)
{
	struct kymo_note note;
	const char *text = (const char *)bytes + sizeof(note);
	uint64_t text_size;

	if (available < sizeof(note))
		return 0;
	memcpy(&note, bytes, sizeof(note));
	if (note.size > available || note.size % 8 != 0 || note.size < sizeof(note) + 2)
		return 0;
	text_size = note.size - sizeof(note);
	if (note.key_length + UINT64_C(2) > text_size || text[note.key_length] != '\0' ||
	    !memchr(text + note.key_length + 1, '\0', text_size - note.key_length - 1))
		return 0;
	*out = (struct note){
		.kind = (enum kymo_note_kind)note.kind,
		.ticks = note.ticks,
		.key = text,
		.value = text + note.key_length + 1,
	};
	return note.size;
}

static enum kymo_status load_notes_of(struct recording *recording, const struct chunk *chunk,
				      size_t *capacity)
{
	uint64_t at = 0;

	while (at < chunk->bytes) {
		struct note *notes = array_grow(recording->notes, capacity,
						recording->note_count + 1, sizeof(*notes));
		uint64_t size;

		if (!notes)
			return KYMO_MEMORY;
		recording->notes = notes;
		size = note_read(recording->data + chunk->offset + at, chunk->bytes - at,
				 &notes[recording->note_count]);
		if (!size) {
			recording_add_problem(recording, "no note at byte %" PRIu64 "; left out",
					      chunk->offset + at);
			return KYMO_OK;
		}
		recording->note_count++;
		at += size;
	}
	return KYMO_OK;
}

static enum kymo_status load_notes(struct recording *recording)
{
	size_t chunk_count, capacity = 0;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_NOTES, &chunk_count);
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < chunk_count && status == KYMO_OK; i++)
		status = load_notes_of(recording, &chunks[i], &capacity);
	return status;
}

/* Named metrics have other values here than in the file, where each recording has its own. */
static void name_metric(uint32_t *metric, const char *text)
{
	char number[32], parts[3][128] = {"", "", ""};
	size_t part = 0, length = 0;

	if (!text)
		snprintf(number, sizeof(number), "metric-%" PRIu32, *metric);
	for (text = text ? text : number; *text; text++) {
		if (*text == '\n' && part < 2) {
			part++;
			length = 0;
		} else if (length < sizeof(parts[0]) - 1) {
			parts[part][length++] = *text;
		}
	}
	*metric = metric_define(parts[0], parts[1], parts[2]);
}

/* Those beyond the limit keep values that are not used. */
static void name_metrics(struct recording *recording)
{
	for (uint32_t i = 0; i < recording->header.metric_count; i++) {
		uint32_t *metric = &recording->header.metrics[i];
		char key[16];

		if (*metric < KYMO_METRIC_COUNT)
			continue;
		snprintf(key, sizeof(key), "%" PRIu32, *metric);
		name_metric(metric, recording_note(recording, KYMO_NOTE_METRIC, key));
		if (*metric == KYMO_METRIC_COUNT)
			recording_add_problem(recording,
					      "there are too many metrics to name them all");
	}
}

static bool module_read(const struct recording *recording, const unsigned char *record,
			struct module *out)
{
	struct kymo_module source;
	unsigned bad = 0;

	memcpy(&source, record, sizeof(source));
	*out = (struct module){
		.start = source.start,
		.end = source.end,
		.bias = source.bias,
		.ticks = source.ticks,
		.path = recording_text(recording, source.path, &bad),
		.build_id = recording_text(recording, source.build_id, &bad),
		.name = recording_text(recording, source.name, &bad),
	};
	if (!out->name)
		out->name = out->path;
	return out->path && out->start < out->end;
}

/* Modules have no ids: their records are those of all chunks, in the order of the file. */
static enum kymo_status load_modules(struct recording *recording)
{
	size_t chunk_count, capacity = 0;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_MODULES, &chunk_count);

	for (size_t i = 0; i < chunk_count; i++) {
		uint64_t count = chunks[i].bytes / chunks[i].record_size;
		const unsigned char *record = recording->data + chunks[i].offset;
		struct module *modules =
			array_grow(recording->modules, &capacity, recording->module_count + count,
				   sizeof(*modules));

		if (!modules)
			return KYMO_MEMORY;
		recording->modules = modules;
		for (uint64_t k = 0; k < count; k++, record += chunks[i].record_size)
			recording->module_count +=
				module_read(recording, record, &modules[recording->module_count]);
	}
	return KYMO_OK;
}

enum kymo_status recording_load_tables(struct recording *recording)
{
	enum kymo_status status = load_regions(recording);

	if (status == KYMO_OK)
		status = load_threads(recording);
	if (status == KYMO_OK)
		status = load_series(recording);
	if (status == KYMO_OK)
		status = load_notes(recording);
	name_metrics(recording);
	if (status == KYMO_OK)
		status = load_modules(recording);
	if (status == KYMO_OK)
		status = recording_load_parts(recording);
	if (status == KYMO_OK)
		status = functions_load(recording);
	return status;
}

void recording_release_tables(struct recording *recording)
{
	functions_free(recording->functions);
	free(recording->regions);
	free(recording->threads);
	free(recording->series);
	free(recording->notes);
	free(recording->modules);
	free(recording->parts);
	lines_free(recording->texts, recording->text_count);
}
