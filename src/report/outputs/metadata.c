/* metadata.json: where and how a run was made; functions.json: its regions by hash. */
#include "report/outputs/metadata.h"

#include <string.h>
#include <time.h>

#include "base/hashset.h"
#include "model/profile/region_union.h"
#include "model/profile/run_facts.h"
#include "model/recording/recording_open.h"
#include "report/outputs/function_list.h"
#include "report/tables/facts_json.h"
#include "text/json_writer.h"

#define SETTING_PREFIX "KYMO_"
#define NAME_BYTES     1024

static const struct recording *metadata_root_of(const struct run_output *output)
{
	return output->loaded->trees[0]->recording;
}

static void write_info(const struct run_output *output, struct json_writer *json)
{
	const struct recording *recording = metadata_root_of(output);

	json_key(json, "info");
	json_begin_object(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		/* Arguments are one note each: written as a list below. */
		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, "argument") != 0) {
			json_key(json, note->key);
			json_text_masked(json, note->value);
		}
	}
	json_key(json, "arguments");
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, "argument") == 0)
			json_text_masked(json, note->value);
	}
	json_end_array(json);
	json_end_object(json);
}

static void write_categories(const char *categories, struct json_writer *json)
{
	json_key(json, "categories");
	json_begin_array(json);
	while (*categories) {
		size_t length = strcspn(categories, ",");
		char category[64];

		snprintf(category, sizeof(category), "%.*s", (int)length, categories);
		json_text(json, category);
		categories += length + (categories[length] == ',');
	}
	json_end_array(json);
}

/* Every value is text, as in the environment: users compare it with what they set. */
static void metadata_write_settings(const struct run_output *output, struct json_writer *json)
{
	json_key(json, "settings");
	json_begin_object(json);
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_table[id];
		char name[128];

		snprintf(name, sizeof(name), SETTING_PREFIX "%s", row->name);
		json_line(json);
		json_key(json, name);
		json_begin_object(json);
		json_pair_text(json, "value", settings_text(output->settings, (enum setting_id)id));
		json_pair_text(json, "initial", row->default_text);
		json_pair_text(json, "description", row->help);
		write_categories(row->categories, json);
		json_end_object(json);
	}
	json_end_object(json);
}

static void write_environment(const struct run_output *output, struct json_writer *json)
{
	const struct recording *recording = metadata_root_of(output);

	json_key(json, "environment");
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind != KYMO_NOTE_ENVIRONMENT)
			continue;
		json_line(json);
		json_begin_object(json);
		json_pair_text(json, "key", note->key);
		json_key(json, "value");
		json_text_masked(json, note->value);
		json_end_object(json);
	}
	json_end_array(json);
}

static void metadata_write_modules(const struct run_output *output, struct json_writer *json)
{
	const struct recording *recording = metadata_root_of(output);

	json_key(json, "memory_maps_files");
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		if (recording->notes[i].kind == KYMO_NOTE_MODULE)
			json_text(json, recording->notes[i].key);
	}
	json_end_array(json);
}

static void metadata_write_process(const struct calltree *tree, struct json_writer *json)
{
	const struct recording *recording = tree->recording;
	const struct kymo_header *header = &recording->header;

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "recording", recording->path);
	json_pair_text(json, "program", recording_program(recording));
	json_pair_count(json, "pid", header->pid);
	json_pair_count(json, "parent_pid", header->parent_pid);
	json_pair_number(json, "start", (double)header->start_realtime_ns * 1e-9);
	json_pair_number(json, "duration",
			 (double)recording_ns(recording, recording->end_ticks) * 1e-9);
	json_pair_number(json, "process_cpu_clock", (double)header->process_cpu_ns * 1e-9);
	json_pair_bool(json, "is_closed", recording->is_closed);
	json_pair_number(json, "exit_status", header->exit_status);
	json_pair_count(json, "threads", recording->thread_count);
	json_pair_count(json, "calls", tree->call_count);
	json_end_object(json);
}

static void metadata_write_run(const struct run_output *output, struct json_writer *json)
{
	const struct run_facts *facts = output->facts;

	json_key(json, "processes");
	json_begin_array(json);
	for (size_t i = 0; i < output->loaded->tree_count; i++)
		metadata_write_process(output->loaded->trees[i], json);
	json_end_array(json);
	report_write_measuring(facts, json);
}

static bool is_json(const char *path)
{
	size_t length = strlen(path);

	return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static void write_file_list(const struct output_file_list *files, const char *key, bool wants_json,
			    struct json_writer *json)
{
	json_key(json, key);
	json_begin_array(json);
	for (size_t i = 0; i < files->count; i++) {
		const char *path = strchr(files->lines[i], ' ') + 1;
		char kind[64];

		if (is_json(path) != wants_json)
			continue;
		snprintf(kind, sizeof(kind), "%.*s", (int)(path - 1 - files->lines[i]),
			 files->lines[i]);
		json_begin_object(json);
		json_pair_text(json, "key", kind);
		json_pair_text(json, "value", path);
		json_end_object(json);
	}
	json_end_array(json);
}

void metadata_write(const struct run_output *output, const struct output_file_list *files,
		    FILE *out)
{
	struct json_writer json = {.out = out};

	json_begin_object(&json);
	json_key(&json, "kymo");
	json_begin_object(&json);
	json_key(&json, "metadata");
	json_begin_object(&json);
	write_info(output, &json);
	metadata_write_settings(output, &json);
	write_environment(output, &json);
	metadata_write_modules(output, &json);
	metadata_write_run(output, &json);
	json_key(&json, "output");
	json_begin_object(&json);
	write_file_list(files, "text", false, &json);
	write_file_list(files, "json", true, &json);
	json_end_object(&json);
	for (int i = 0; i < 3; i++)
		json_end_object(&json);
	putc('\n', out);
}

static const char *kind_name(enum kymo_region_kind kind)
{
	static const char *const names[] = {
		[KYMO_REGION_ROOT] = "root",	   [KYMO_REGION_PYTHON] = "python",
		[KYMO_REGION_PYTHON_C] = "c",	   [KYMO_REGION_PYTHON_METHOD] = "method",
		[KYMO_REGION_USER] = "user",	   [KYMO_REGION_NATIVE] = "native",
		[KYMO_REGION_PTHREAD] = "pthread", [KYMO_REGION_MPI] = "mpi",
		[KYMO_REGION_IO] = "io",	   [KYMO_REGION_TASK] = "task",
	};

	return (size_t)kind < sizeof(names) / sizeof(*names) ? names[kind] : "other";
}

static void write_function(const struct region *region, struct json_writer *json)
{
	char label[NAME_BYTES];

	region_text(region, label, sizeof(label));
	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "hash", hash_bytes(HASH_SEED, label, strlen(label)));
	json_pair_text(json, "label", label);
	json_pair_text(json, "kind", kind_name(region->kind));
	json_pair_text(json, "name", region->name);
	json_pair_text(json, "qualname", region->qualname);
	json_pair_text(json, "module", region->module);
	json_pair_text(json, "file", region->file);
	json_pair_count(json, "line", region->line);
	json_end_object(json);
}

void functions_write(const struct function_list *functions, FILE *out)
{
	const struct region_union *regions = functions->regions;
	struct json_writer json = {.out = out};

	json_begin_object(&json);
	json_key(&json, "kymo");
	json_begin_object(&json);
	json_key(&json, "functions");
	json_begin_array(&json);
	for (uint32_t i = 0; i < regions->count && !ferror(out); i++) {
		if (regions->regions[i]->kind != KYMO_REGION_ROOT &&
		    !(function_list_is_left_out(functions, i)))
			write_function(regions->regions[i], &json);
	}
	json_end_array(&json);
	if (functions->left_out)
		json_pair_count(&json, "left_out", functions->left_out);
	json_end_object(&json);
	json_end_object(&json);
	putc('\n', out);
}
