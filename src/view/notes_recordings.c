/* The notes about the recordings: files, clocks, costs, modules, metrics, series. */
#include "view/notes_recordings.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashset.h"
#include "format/metric.h"
#include "model/recording/recording_open.h"
#include "view/page_notes.h"

static const char *clock_name(uint32_t kind)
{
	switch (kind) {
	case KYMO_CLOCK_TSC:
	case KYMO_CLOCK_CNTVCT:
		return "the processor's counter";
	case KYMO_CLOCK_MONOTONIC:
		return "CLOCK_MONOTONIC";
	case KYMO_CLOCK_MONOTONIC_RAW:
		return "CLOCK_MONOTONIC_RAW";
	default:
		return "unknown";
	}
}

static const char *state_name(const struct recording *recording)
{
	if (recording->is_closed)
		return "closed";
	return recording->header.state == KYMO_STATE_ABANDONED ? "given up or replaced by exec"
							       : "not closed";
}

static void write_kinds(struct json_writer *json, const struct recording *recording)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} kinds[] = {
		{KYMO_HEADER_PROFILE, "call paths"},   {KYMO_HEADER_TRACE, "trace"},
		{KYMO_HEADER_SAMPLES, "samples"},      {KYMO_HEADER_FORKED, "forked"},
		{KYMO_HEADER_OUTSIDE, "from outside"}, {KYMO_HEADER_MERGED, "merged"},
		{KYMO_HEADER_MADE, "imported"},
	};

	json_key(json, "kinds");
	json_begin_array(json);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (recording->header.flags & kinds[i].flag)
			json_text(json, kinds[i].name);
	}
	json_end_array(json);
}

static void write_clock(struct json_writer *json, const struct recording *recording)
{
	const struct kymo_header *header = &recording->header;

	json_pair_text(json, "clock", clock_name(header->clock_kind));
	json_pair_number(json, "tick_ns", recording_tick_ns(recording));
	json_pair_count(json, "clock_pairs", header->pair_count);
	json_pair_number(json, "call_ns", (double)header->cost_enter_exit_ps * 1e-3);
	json_pair_number(json, "c_call_ns", (double)header->cost_c_call_ps * 1e-3);
	json_pair_count(json, "startup_ns", header->startup_ns);
}

static void recordings_write(struct json_writer *json, const struct calltree *tree,
			     const struct samples *samples)
{
	const struct recording *recording = tree->recording;

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "path", recording->path);
	json_pair_count(json, "pid", recording->header.pid);
	json_pair_count(json, "bytes", recording->size);
	json_pair_count(json, "version", recording->header.version);
	json_pair_text(json, "kymo", recording_note(recording, KYMO_NOTE_INFO, "kymo_version"));
	json_pair_text(json, "state", state_name(recording));
	json_pair_number(json, "status", recording->header.exit_status);
	json_pair_number(json, "cpu", (double)recording->header.process_cpu_ns * 1e-9);
	write_kinds(json, recording);
	write_clock(json, recording);
	json_pair_count(json, "threads", recording->thread_count);
	json_pair_count(json, "paths", tree->node_count);
	json_pair_count(json, "events", recording_event_words(recording));
	json_pair_count(json, "samples", samples ? samples->count : 0);
	json_pair_count(json, "lost_samples",
			samples ? samples->lost_count + samples->damaged_count : 0);
	json_pair_count(json, "problems", recording->problem_count);
	json_end_object(json);
}

void page_notes_recordings(const struct page *page, struct json_writer *json)
{
	json_key(json, "recordings");
	json_begin_array(json);
	for (size_t i = 0; i < page->loaded->tree_count; i++)
		recordings_write(json, page->loaded->trees[i], loaded_samples(page->loaded, i));
	json_end_array(json);
}

struct module_list {
	struct hashset seen; /* of path and build id; the value is unused */
	struct json_writer *json;
};

static void recordings_write_module(struct module_list *list, const char *path,
				    const char *build_id)
{
	uint64_t hash = hash_bytes(HASH_SEED, path, strlen(path) + 1);

	if (build_id)
		hash = hash_bytes(hash, build_id, strlen(build_id));
	if (hashset_find_key(&list->seen, hash))
		return;
	hashset_insert(&list->seen, hash, 1); /* if out of memory it is listed again */
	json_line(list->json);
	json_begin_array(list->json);
	json_text(list->json, path);
	json_text(list->json, build_id);
	json_end_array(list->json);
}

static void write_modules_of(struct module_list *list, const struct recording *recording)
{
	for (size_t i = 0; i < recording->module_count; i++)
		recordings_write_module(list, recording->modules[i].path,
					recording->modules[i].build_id);
	for (size_t i = 0; i < recording->note_count; i++) {
		if (recording->notes[i].kind == KYMO_NOTE_MODULE)
			recordings_write_module(list, recording->notes[i].key,
						recording->notes[i].value);
	}
}

void page_notes_modules(const struct page *page, struct json_writer *json)
{
	struct module_list list = {.json = json};

	json_key(json, "modules");
	json_begin_array(json);
	for (size_t i = 0; i < page->loaded->tree_count; i++)
		write_modules_of(&list, page->loaded->trees[i]->recording);
	json_end_array(json);
	hashset_release(&list.seen);
}

static void write_metrics_of(struct json_writer *json, const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->header.metric_count; i++) {
		const struct metric_info *info =
			metric_info((enum kymo_metric)recording->header.metrics[i]);

		if (!info)
			continue;
		json_begin_object(json);
		json_pair_text(json, "name", info->name);
		json_pair_text(json, "unit", info->display_unit);
		json_pair_text(json, "help", info->description);
		json_end_object(json);
	}
}

static void write_series_of(struct json_writer *json, const struct recording *recording)
{
	for (size_t i = 0; i < recording->series_count; i++) {
		json_begin_object(json);
		json_pair_text(json, "name", recording->series[i].name);
		json_pair_text(json, "unit", recording->series[i].unit);
		json_pair_count(json, "pid", recording->header.pid);
		json_end_object(json);
	}
}

void page_notes_metrics(const struct page *page, struct json_writer *json)
{
	json_key(json, "metrics");
	json_begin_array(json);
	write_metrics_of(json, page->loaded->trees[0]->recording);
	json_end_array(json);
	json_key(json, "series");
	json_begin_array(json);
	for (size_t i = 0; i < page->loaded->tree_count; i++)
		write_series_of(json, page->loaded->trees[i]->recording);
	json_end_array(json);
}
