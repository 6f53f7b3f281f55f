/* Writing the output files of a run. */
#include "report/outputs/run_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/listitem.h"
#include "command/xalloc.h"
#include "model/profile/metric_view.h"
#include "model/recording/recording_open.h"
#include "report/outputs/function_list.h"
#include "report/outputs/metadata.h"
#include "report/outputs/metric_json.h"
#include "report/outputs/metric_table.h"
#include "report/outputs/output_document.h"

#define LIMIT_RATIO	3 /* bytes of outputs for each recorded one */
#define LIMIT_LEAST	UINT64_C(1000000)
#define FILE_NAME_BYTES 128 /* of metadata.json, for each file beside its folder */

/* The program's arguments, one note each. */
static const char **arguments_of(const struct recording *recording)
{
	const char **arguments = xcalloc(recording->note_count + 2, sizeof(*arguments));
	size_t count = 0;

	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, "argument") == 0)
			arguments[count++] = note->value;
	}
	if (count == 0)
		arguments[0] = recording_program(recording);
	return arguments;
}

char *run_output_name(const struct run_output *output, const struct calltree *tree,
		      const char *name, const char *extension)
{
	const struct kymo_header *header = &tree->recording->header;
	const char **arguments = arguments_of(tree->recording);
	struct output_context context = {
		.argv = arguments,
		.pid = (pid_t)header->pid,
		.parent_pid = (pid_t)header->parent_pid,
		.launch_time = (time_t)(header->start_realtime_ns / 1000000000u),
		.settings = output->settings,
		.environment = output->environment,
	};
	char *path = output_file(&context, output->directory, name, extension);

	xneed(path != NULL);
	xfree(arguments);
	return path;
}

static void write_boxed(const struct output_writer *writer, const void *subject, FILE *out)
{
	long long limit = settings_integer(writer->output->settings, SET_MAX_WIDTH);

	metric_write_table(subject, METRIC_BOXED, (unsigned int)limit, out);
}

static void write_flat_json(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_flat_json(subject, out);
}

static void write_tree_json(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_tree_json(subject, out);
}

static const struct {
	enum setting_id wanted;
	struct document document;
} metric_documents[] = {
	{SET_TEXT_OUTPUT, {"txt", write_boxed}},
	{SET_JSON_OUTPUT, {"json", write_flat_json}},
	{SET_TREE_OUTPUT, {"tree.json", write_tree_json}},
};
#define METRIC_DOCUMENTS (sizeof(metric_documents) / sizeof(*metric_documents))

static size_t documents_of_metric(const struct settings *settings)
{
	size_t count = 0;

	for (size_t i = 0; i < METRIC_DOCUMENTS; i++)
		count += settings_bool(settings, metric_documents[i].wanted);
	return count;
}

static void write_metric_files(struct output_writer *writer, const struct metric_view *view)
{
	const struct settings *settings = writer->output->settings;

	for (size_t i = 0; i < METRIC_DOCUMENTS; i++)
		if (settings_bool(settings, SET_FILE_OUTPUT) &&
		    settings_bool(settings, metric_documents[i].wanted))
			output_document_paths(writer, &metric_documents[i].document, view);
	if (settings_bool(settings, SET_COUT_OUTPUT))
		write_boxed(writer, view, stdout);
}

#define SAMPLING_METRICS "sampling_wall_clock,sampling_cpu_clock,sampling_percent"

typedef void metric_fn(struct output_writer *writer, const struct metric_view *view);

static bool output_is_wanted(const struct output_writer *writer, const struct metric_view *view)
{
	bool is_of_calls = view->source == METRIC_FROM_ROW || view->source == METRIC_FROM_COUNT;

	return writer->metrics == OUTPUT_ALL_METRICS ||
	       is_of_calls == (writer->metrics == OUTPUT_OF_CALLS);
}

/* Every metric of TIMEMORY_COMPONENTS that was recorded, or all that samples have; the runtime
 * has said which of them it could not record. */
static void each_listed(struct output_writer *writer, bool is_sampled, metric_fn *act)
{
	const struct settings *settings = writer->output->settings;
	const char *rest =
		is_sampled ? SAMPLING_METRICS : settings_text(settings, SET_TIMEMORY_COMPONENTS);
	const char *item;
	size_t length;

	while (listitem_next(&rest, &item, &length)) {
		struct metric_view view;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, item);
		if (metric_view_init(&view, writer->rows, name, settings, NULL) == KYMO_OK &&
		    output_is_wanted(writer, &view))
			act(writer, &view);
	}
}

/* Counters have no names in that setting: what was recorded of them is written. */
static void each_counter(struct output_writer *writer, metric_fn *act)
{
	for (unsigned int i = 0; i < writer->rows->metric_count; i++) {
		const struct metric_info *info =
			metric_info((enum kymo_metric)writer->rows->metric_ids[i]);
		struct metric_view view;

		if (info && writer->rows->metric_ids[i] >= KYMO_METRIC_NAMED &&
		    metric_view_init(&view, writer->rows, info->name, writer->output->settings,
				     NULL) == KYMO_OK &&
		    output_is_wanted(writer, &view))
			act(writer, &view);
	}
}

static void each_metric(struct output_writer *writer, bool is_sampled, metric_fn *act)
{
	each_listed(writer, is_sampled, act);
	each_counter(writer, act);
}

static void count_documents(struct output_writer *writer, const struct metric_view *view)
{
	(void)view;
	writer->documents += documents_of_metric(writer->output->settings);
}

/* What lacks memory is said; what comes next is written all the same. */
static void output_try(const struct output_writer *writer, const char *what,
		       void (*work)(void *context), void *context)
{
	struct problem problem;

	if (xalloc_run(work, context))
		return;
	problem_set(&problem, KYMO_MEMORY, "cannot write %s: out of memory", what);
	writer->output->fail(writer->output->context, &problem);
}

struct output_trees { /* whose files are written */
	struct output_writer *writer;
	const struct calltree *const *trees;
	size_t count;
};

static void output_write_trees(void *context)
{
	const struct output_trees *output = context;
	struct output_writer *writer = output->writer;
	const struct calltree *const *trees = output->trees;
	struct rows_options options = rows_options_from(writer->output->settings);
	struct rows *rows;

	if (writer->metrics == OUTPUT_OF_CALLS) /* merged they were call paths again */
		options.merges_threads = options.merges_processes = false;
	xneed(rows_new(trees, output->count, &options, &rows) == KYMO_OK);
	writer->owner = trees[0];
	writer->rows = rows;
	writer->order = NULL;
	writer->documents = 0;
	each_metric(writer, trees[0]->effective_count > 0, count_documents);
	each_metric(writer, trees[0]->effective_count > 0, write_metric_files);
	free(writer->order);
	rows_free(rows);
}

static bool is_per_process(const struct settings *settings)
{
	return settings_bool(settings, SET_USE_PID) &&
	       !settings_bool(settings, SET_COLLAPSE_PROCESSES);
}

static size_t count_rows(const struct output_writer *writer)
{
	return is_per_process(writer->output->settings) ? writer->output->loaded->tree_count : 1;
}

static void write_profile(struct output_writer *writer, const struct loaded_run *loaded)
{
	bool is_split = is_per_process(writer->output->settings);

	for (size_t i = 0; i < (is_split ? loaded->tree_count : 1); i++) {
		struct output_trees trees = {writer, &loaded->trees[i],
					     is_split ? 1 : loaded->tree_count};

		writer->later_rows -= writer->later_rows > 0;
		output_try(writer, "the profile", output_write_trees, &trees);
	}
}

/* Of one row a call there is no other: FLAT_PROFILE has one a region. */
static bool has_each_call(const struct settings *settings)
{
	return settings_bool(settings, SET_TIMELINE_PROFILE) &&
	       !settings_bool(settings, SET_FLAT_PROFILE);
}

/* Metrics that are kept for call paths alone are written of those. */
static void write_calls(struct output_writer *writer)
{
	const struct run_output *output = writer->output;
	const struct loaded_options options = {.has_each_call = true};
	struct problem problem;
	struct loaded_run *loaded;

	if (loaded_run_open(output->loaded->run->path, &options, &loaded, &problem) < 0) {
		output->fail(output->context, &problem);
		write_profile(writer, output->loaded);
		return;
	}
	writer->metrics = OUTPUT_OF_CALLS;
	write_profile(writer, loaded);
	loaded_run_free(loaded);
	writer->metrics = OUTPUT_OF_PATHS;
	write_profile(writer, output->loaded);
	writer->metrics = OUTPUT_ALL_METRICS;
}

/* Where calls were recorded too, the trees of the samples are others. */
static void write_samples(struct output_writer *writer)
{
	const struct run_output *output = writer->output;
	const struct loaded_options options = {
		.wants_samples = true,
		.sampled = sampled_options_from(output->settings),
	};
	struct problem problem;
	struct loaded_run *loaded;

	if (output->loaded->is_sampled) {
		write_profile(writer, output->loaded);
		return;
	}
	if (loaded_run_open(output->loaded->run->path, &options, &loaded, &problem) < 0) {
		output->fail(output->context, &problem);
		return;
	}
	write_profile(writer, loaded);
	loaded_run_free(loaded);
}

static void write_functions(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	functions_write(subject, out);
}

static void write_metadata(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)subject;
	metadata_write(writer->output, &writer->files, out);
}

static const struct document functions_document = {"json", write_functions};
static const struct document metadata_document = {"json", write_metadata};

/* Those in whose own lines the least time is are left out. */
static void write_functions_that_fit(void *context)
{
	struct output_writer *writer = context;
	const struct loaded_run *loaded = writer->output->loaded;
	struct region_union *regions;
	struct function_list list;
	enum kymo_status status;
	size_t count;

	xneed(region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK);
	count = regions->count;
	function_list_init(&list, regions);
	for (;;) {
		uint64_t part = output_document_part(writer);

		status = output_document_write(writer, "functions", &functions_document, &list,
					       part);
		if (status != KYMO_LIMIT || count == 0)
			break;
		writer->sum->is_part = true;
		count -= count / 4 + 1;
		function_list_keep(&list, loaded->trees, loaded->tree_count, count);
	}
	region_union_free(regions);
}

static void write_descriptions(struct output_writer *writer)
{
	writer->owner = writer->output->loaded->trees[0];
	writer->documents = 1;
	writer->later_rows = 0;
	writer->reserved_bytes = writer->metadata_bytes;
	output_try(writer, "functions", write_functions_that_fit, writer);
	writer->reserved_bytes = 0;
	if (output_document_write(writer, "metadata", &metadata_document, NULL,
				  output_document_part(writer)) == KYMO_LIMIT)
		writer->sum->is_part = true;
}

/* metadata.json names the files, which are not known yet. */
static uint64_t metadata_most_bytes(const struct output_writer *writer)
{
	const struct settings *settings = writer->output->settings;
	const char *rest = settings_text(settings, SET_TIMEMORY_COMPONENTS), *item;
	uint64_t bytes = output_document_bytes(writer, &metadata_document, NULL);
	size_t files = 1, length;

	while (listitem_next(&rest, &item, &length))
		files += documents_of_metric(settings);
	files *= writer->later_rows;
	return bytes + files * (FILE_NAME_BYTES + strlen(writer->output->directory));
}

/* Before anything else is written: what describes the run is small, but for its functions. */
static void output_reserve(struct output_writer *writer)
{
	const struct loaded_run *loaded = writer->output->loaded;
	uint64_t most = writer->output->most_bytes, functions = 0;
	struct function_list list;
	struct region_union *regions;

	if (most == UINT64_MAX || region_union_new(loaded->trees, loaded->tree_count, &regions) < 0)
		return;
	function_list_init(&list, regions);
	functions = output_document_bytes(writer, &functions_document, &list);
	region_union_free(regions);
	writer->metadata_bytes = metadata_most_bytes(writer);
	writer->reserved_bytes =
		writer->metadata_bytes + (functions < most / 4 ? functions : most / 4);
}

uint64_t run_output_most_bytes(const struct settings *settings, uint64_t recorded_bytes)
{
	long long limit = settings_integer(settings, SET_OUTPUT_LIMIT_MB);

	if (limit > 0)
		return (uint64_t)limit << 20; /* as all settings in MB */
	if (limit == 0 || recorded_bytes > UINT64_MAX / LIMIT_RATIO - LIMIT_LEAST)
		return UINT64_MAX;
	return recorded_bytes * LIMIT_RATIO + LIMIT_LEAST;
}

void run_output_write(const struct run_output *output, struct output_sum *sum)
{
	const struct loaded_run *loaded = output->loaded;
	const struct settings *settings = output->settings;
	struct output_writer writer = {.output = output, .sum = sum};
	bool has_calls = settings_bool(settings, SET_PROFILE) && !loaded->is_sampled;

	writer.later_rows =
		((size_t)has_calls + (has_calls && has_each_call(settings)) + loaded->has_samples) *
		count_rows(&writer);
	if (settings_bool(settings, SET_FILE_OUTPUT))
		output_reserve(&writer);
	if (has_calls && has_each_call(settings))
		write_calls(&writer);
	else if (has_calls)
		write_profile(&writer, loaded);
	if (loaded->has_samples)
		write_samples(&writer);
	if (settings_bool(settings, SET_FILE_OUTPUT))
		write_descriptions(&writer);
	lines_free(writer.files.lines, writer.files.count);
}
