/* Writing the output files of a run. */
#include "report/outputs/run_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/filemode.h"
#include "base/outfile.h"
#include "model/profile/metric_view.h"

struct writer {
	const struct run_output *output;
	struct output_file_list files;
	const struct calltree *owner; /* whose process id names the files */
	const struct rows *rows;
};

struct document { /* a way to write one file */
	const char *extension;
	enum kymo_status (*write)(const struct writer *writer, const void *subject, FILE *out);
};

/* ---- names --------------------------------------------------------------------------- */

/* The program's arguments, one note each. */
static const char **arguments_of(const struct recording *recording)
{
	const char **arguments = calloc(recording->note_count + 2, sizeof(*arguments));
	size_t count = 0;

	if (!arguments)
		return NULL;
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
	char *path = arguments ? output_file(&context, output->directory, name, extension) : NULL;

	free(arguments);
	return path;
}

/* OUTPUT_PREFIX may name directories that do not exist yet.  What fails here shows when
 * the file is opened. */
static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, filemode_folder());
		*slash = '/';
	}
}

/* ---- one file ------------------------------------------------------------------------- */

static enum kymo_status write_path(const struct writer *writer, const char *path,
				   const struct document *document, const void *subject,
				   struct problem *problem)
{
	struct outfile file;
	enum kymo_status status = outfile_open_stream(&file, path, problem);

	if (status < 0)
		return status;
	status = document->write(writer, subject, file.stream);
	if (status < 0) {
		outfile_discard(&file);
		return problem_set(problem, status, "cannot write '%s': out of memory", path);
	}
	return outfile_commit(&file, problem);
}

static void write_document(struct writer *writer, const char *kind, const struct document *document,
			   const void *subject)
{
	const struct run_output *output = writer->output;
	char *path = run_output_name(output, writer->owner, kind, document->extension);
	struct problem problem;
	enum kymo_status status;

	if (!path) {
		problem_set(&problem, KYMO_MEMORY, "cannot write %s: out of memory", kind);
		output->fail(output->context, &problem);
		return;
	}
	make_parents(path);
	output->announce(output->context, kind, path);
	status = write_path(writer, path, document, subject, &problem);
	if (status < 0)
		output->fail(output->context, &problem);
	else
		lines_add(&writer->files.lines, &writer->files.count, "%s %s", kind, path);
	free(path);
}

/* ---- metrics ---------------------------------------------------------------------------- */

static enum kymo_status write_boxed(const struct writer *writer, const void *subject, FILE *out)
{
	long long limit = settings_integer(writer->output->settings, SET_MAX_WIDTH);

	return metric_write_table(subject, METRIC_BOXED, (unsigned int)limit, out);
}

static enum kymo_status write_flat_json(const struct writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_flat_json(subject, out);
	return KYMO_OK;
}

static enum kymo_status write_tree_json(const struct writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	metric_write_tree_json(subject, out);
	return KYMO_OK;
}

static void write_metric_files(struct writer *writer, const struct metric_view *view)
{
	static const struct document text = {"txt", write_boxed};
	static const struct document flat = {"json", write_flat_json};
	static const struct document tree = {"tree.json", write_tree_json};
	const struct settings *settings = writer->output->settings;
	const char *name = view->info->name;

	if (settings_bool(settings, SET_FILE_OUTPUT)) {
		if (settings_bool(settings, SET_TEXT_OUTPUT))
			write_document(writer, name, &text, view);
		if (settings_bool(settings, SET_JSON_OUTPUT))
			write_document(writer, name, &flat, view);
		if (settings_bool(settings, SET_TREE_OUTPUT))
			write_document(writer, name, &tree, view);
	}
	if (settings_bool(settings, SET_COUT_OUTPUT))
		write_boxed(writer, view, stdout);
}

#define SAMPLING_METRICS "sampling_wall_clock,sampling_cpu_clock,sampling_percent"

/* Every metric of TIMEMORY_COMPONENTS that was recorded, or all that samples have; the runtime
 * has said which of them it could not record. */
static void write_metrics(struct writer *writer, bool is_sampled)
{
	const struct settings *settings = writer->output->settings;
	const char *rest =
		is_sampled ? SAMPLING_METRICS : settings_text(settings, SET_TIMEMORY_COMPONENTS);
	const char *item;
	size_t length;

	while (setting_list_next(&rest, &item, &length)) {
		struct metric_view view;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)length, item);
		if (metric_view_init(&view, writer->rows, name, settings, NULL) == KYMO_OK)
			write_metric_files(writer, &view);
	}
}

/* Counters have no names in that setting: what was recorded of them is written. */
static void write_counters(struct writer *writer)
{
	for (unsigned int i = 0; i < writer->rows->metric_count; i++) {
		const struct metric_info *info =
			metric_info((enum kymo_metric)writer->rows->metric_ids[i]);
		struct metric_view view;

		if (info && writer->rows->metric_ids[i] >= KYMO_METRIC_NAMED &&
		    metric_view_init(&view, writer->rows, info->name, writer->output->settings,
				     NULL) == KYMO_OK)
			write_metric_files(writer, &view);
	}
}

static void write_trees(struct writer *writer, const struct calltree *const *trees, size_t count)
{
	struct rows_options options = rows_options_from(writer->output->settings);
	struct problem problem;
	struct rows *rows;

	if (rows_new(trees, count, &options, &rows) < 0) {
		problem_set(&problem, KYMO_MEMORY, "cannot write the profile: out of memory");
		writer->output->fail(writer->output->context, &problem);
		return;
	}
	writer->owner = trees[0];
	writer->rows = rows;
	write_metrics(writer, trees[0]->effective_count > 0);
	write_counters(writer);
	rows_free(rows);
}

static void write_profile(struct writer *writer, const struct loaded_run *loaded)
{
	const struct settings *settings = writer->output->settings;
	bool is_per_process = settings_bool(settings, SET_USE_PID) &&
			      !settings_bool(settings, SET_COLLAPSE_PROCESSES);

	if (!is_per_process)
		write_trees(writer, loaded->trees, loaded->tree_count);
	for (size_t i = 0; is_per_process && i < loaded->tree_count; i++)
		write_trees(writer, &loaded->trees[i], 1);
}

/* Where calls were recorded too, the trees of the samples are others. */
static void write_samples(struct writer *writer)
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

/* ---- the run ----------------------------------------------------------------------------- */

static enum kymo_status write_functions(const struct writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	functions_write(subject, out);
	return KYMO_OK;
}

static enum kymo_status write_metadata(const struct writer *writer, const void *subject, FILE *out)
{
	(void)subject;
	metadata_write(writer->output, &writer->files, out);
	return KYMO_OK;
}

static void write_descriptions(struct writer *writer)
{
	static const struct document functions = {"json", write_functions};
	static const struct document metadata = {"json", write_metadata};
	const struct loaded_run *loaded = writer->output->loaded;
	struct region_union *regions;

	writer->owner = loaded->trees[0];
	if (region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK) {
		write_document(writer, "functions", &functions, regions);
		region_union_free(regions);
	}
	write_document(writer, "metadata", &metadata, NULL);
}

void run_output_write(const struct run_output *output)
{
	const struct loaded_run *loaded = output->loaded;
	const struct settings *settings = output->settings;
	struct writer writer = {.output = output};

	if (settings_bool(settings, SET_PROFILE) && !loaded->is_sampled)
		write_profile(&writer, loaded);
	if (loaded->has_samples)
		write_samples(&writer);
	if (settings_bool(settings, SET_FILE_OUTPUT))
		write_descriptions(&writer);
	lines_free(writer.files.lines, writer.files.count);
}
