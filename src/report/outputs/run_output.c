/* Writing the output files of a run. */
#include "report/outputs/run_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "command/xalloc.h"
#include "model/profile/metric_view.h"
#include "model/recording/recording_open.h"
#include "report/outputs/output_descriptions.h"
#include "report/outputs/output_document.h"
#include "report/outputs/output_metrics.h"

#define LIMIT_RATIO 3 /* bytes of outputs per recorded one */
#define LIMIT_LEAST UINT64_C(1000000)

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

	if (writer->metrics == OUTPUT_OF_CALLS) /* merging would make them call paths again */
		options.merges_threads = options.merges_processes = false;
	xneed(rows_new(trees, output->count, &options, &rows) == KYMO_OK);
	writer->owner = trees[0];
	writer->rows = rows;
	writer->order = NULL;
	output_metrics_write(writer, trees[0]->effective_count > 0);
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
		output_document_try(writer, "the profile", output_write_trees, &trees);
	}
}

/* One row per call needs the single calls: FLAT_PROFILE has one row per region. */
static bool has_each_call(const struct settings *settings)
{
	return settings_bool(settings, SET_TIMELINE_PROFILE) &&
	       !settings_bool(settings, SET_FLAT_PROFILE);
}

/* Metrics that only call paths have are written for those. */
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

/* If calls were recorded too, the samples have trees of their own. */
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

uint64_t run_output_most_bytes(const struct settings *settings, uint64_t recorded_bytes)
{
	long long limit = settings_integer(settings, SET_OUTPUT_LIMIT_MB);

	if (limit > 0)
		return (uint64_t)limit << 20; /* MB, as in all settings */
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
		output_descriptions_reserve(&writer);
	if (has_calls && has_each_call(settings))
		write_calls(&writer);
	else if (has_calls)
		write_profile(&writer, loaded);
	if (loaded->has_samples)
		write_samples(&writer);
	if (settings_bool(settings, SET_FILE_OUTPUT))
		output_descriptions_write(&writer);
	lines_free(writer.files.lines, writer.files.count);
}
