/* Loading a run with the call trees of its processes. */
#include "model/profile/loaded_run.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/recording/run_several.h"
#include "model/samples/sampled_base.h"

struct sampled_options sampled_options_from(const struct settings *settings)
{
	return (struct sampled_options){
		.keeps_internal = settings_bool(settings, SET_SAMPLING_KEEP_INTERNAL),
		.has_inlines = settings_bool(settings, SET_SAMPLING_INCLUDE_INLINES),
	};
}

static bool run_has_calls(const struct recording *recording)
{
	return (recording->header.flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE)) &&
	       !(recording->header.flags & KYMO_HEADER_SAMPLED);
}

/* As such, or as a tree that was made of them. */
static bool has_samples(const struct recording *recording)
{
	return recording->header.flags & (KYMO_HEADER_SAMPLES | KYMO_HEADER_SAMPLED);
}

static void run_leave_out(struct loaded_run *loaded, struct samples *samples,
			  const struct problem *problem)
{
	lines_add(&loaded->problems, &loaded->problem_count, "%s", problem->text);
	samples_free(samples);
}

/* Trees of samples are made later, when their weight is known. */
static void run_add_process(struct loaded_run *loaded, struct recording *recording,
			    const struct loaded_options *options)
{
	struct samples *samples = NULL;
	struct problem problem;
	struct calltree *tree = NULL;
	enum kymo_status status = KYMO_OK;

	recording->is_raw = options->is_raw;
	recording->has_each_call = options->has_each_call;
	if (recording->header.flags & KYMO_HEADER_SAMPLES)
		status = samples_new(recording, &samples, &problem);
	if (status == KYMO_OK && !(loaded->is_sampled && samples))
		status = calltree_new(recording, &tree, &problem);
	if (status < 0) {
		run_leave_out(loaded, samples, &problem);
		return;
	}
	loaded->samples[loaded->tree_count] = samples;
	loaded->trees[loaded->tree_count++] = tree;
}

/* Its tree is made of its samples here. */
static bool is_made_here(const struct loaded_run *loaded, size_t index)
{
	return loaded->is_sampled && loaded->samples[index];
}

static void choose_weight(struct loaded_run *loaded, enum sampled_by wanted)
{
	struct sampled_base base = {0};

	loaded->weight = wanted;
	loaded->is_weight_chosen = wanted == SAMPLED_BY_CHOICE;
	if (!loaded->is_weight_chosen)
		return;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		if (is_made_here(loaded, i))
			sampled_base_add(&base, loaded->samples[i]);
		else
			sampled_base_add_tree(&base, loaded->trees[i]);
	}
	loaded->weight = sampled_base_choose(&base);
}

static enum kymo_status make_sampled(struct loaded_run *loaded, size_t index,
				     const struct sampled_options *sampled, struct problem *problem)
{
	const struct samples *samples = loaded->samples[index];
	struct sampled_options weighed = *sampled;
	struct calltree *tree;
	enum kymo_status status;

	weighed.weight = loaded->weight;
	if (!is_made_here(loaded, index)) {
		sampled_base_weigh((struct calltree *)loaded->trees[index], weighed.weight);
		return KYMO_OK;
	}
	status = sampled_tree_new((struct recording *)samples->recording, samples, &weighed, &tree,
				  problem);
	if (status == KYMO_OK)
		loaded->trees[index] = tree;
	return status;
}

static void make_all_sampled(struct loaded_run *loaded, const struct sampled_options *sampled)
{
	size_t kept = 0;

	for (size_t i = 0; i < loaded->tree_count; i++) {
		struct samples *samples = (struct samples *)loaded->samples[i];
		struct problem problem;

		if (make_sampled(loaded, i, sampled, &problem) < 0) {
			run_leave_out(loaded, samples, &problem);
			continue;
		}
		loaded->samples[kept] = samples;
		loaded->trees[kept++] = loaded->trees[i];
	}
	loaded->tree_count = kept;
}

void loaded_run_weigh(struct loaded_run *loaded, const struct sampled_options *sampled)
{
	enum sampled_by before = loaded->weight;

	choose_weight(loaded, sampled->weight);
	if (loaded->weight == before)
		return;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		if (!is_made_here(loaded, i))
			continue;
		calltree_free((struct calltree *)loaded->trees[i]);
		loaded->trees[i] = NULL;
	}
	make_all_sampled(loaded, sampled);
}

static bool run_is_selected(const struct recording *recording, const struct loaded_options *options)
{
	return options->pid == 0 || recording->header.pid == options->pid;
}

/* Samples are used if no calls were recorded. */
static void run_choose_source(struct loaded_run *loaded, const struct loaded_options *options)
{
	const struct run *run = loaded->run;
	bool has_any_calls = false;

	for (size_t i = 0; i < run->recording_count; i++) {
		if (!run_is_selected(run->recordings[i], options))
			continue;
		has_any_calls |= run_has_calls(run->recordings[i]);
		loaded->has_samples |= has_samples(run->recordings[i]);
	}
	loaded->is_sampled = loaded->has_samples && (options->wants_samples || !has_any_calls);
}

static enum kymo_status add_trees(struct loaded_run *loaded, const struct loaded_options *options,
				  struct problem *problem)
{
	const struct run *run = loaded->run;

	loaded->trees = calloc(run->recording_count + 1, sizeof(*loaded->trees));
	loaded->samples = calloc(run->recording_count + 1, sizeof(*loaded->samples));
	if (!loaded->trees || !loaded->samples)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	run_choose_source(loaded, options);
	if (options->wants_samples && !loaded->has_samples)
		return problem_set(problem, KYMO_USAGE,
				   "there are no samples in '%s': make some with 'kymo sample'",
				   run->path);
	for (size_t i = 0; i < run->recording_count; i++) {
		if (run_is_selected(run->recordings[i], options))
			run_add_process(loaded, run->recordings[i], options);
	}
	choose_weight(loaded, options->sampled.weight);
	make_all_sampled(loaded, &options->sampled);
	if (loaded->tree_count > 0)
		return KYMO_OK;
	if (loaded->problem_count > 0)
		return problem_set(problem, KYMO_FORMAT, "%s", loaded->problems[0]);
	return problem_set(problem, KYMO_USAGE,
			   "no process %u in '%s'; 'kymo report --processes' lists them",
			   options->pid, run->path);
}

enum kymo_status loaded_run_open_all(const char *const *paths, size_t count,
				     const struct loaded_options *options, struct loaded_run **out,
				     struct problem *problem)
{
	static const struct loaded_options all = {0};
	struct loaded_run *loaded = calloc(1, sizeof(*loaded));
	enum kymo_status status;

	if (!loaded)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = run_open_all(paths, count, &loaded->run, problem);
	if (status == KYMO_OK)
		status = add_trees(loaded, options ? options : &all, problem);
	if (status < 0) {
		loaded_run_free(loaded);
		return status;
	}
	*out = loaded;
	return KYMO_OK;
}

enum kymo_status loaded_run_open(const char *path, const struct loaded_options *options,
				 struct loaded_run **out, struct problem *problem)
{
	return loaded_run_open_all(&path, 1, options, out, problem);
}

void loaded_run_free(struct loaded_run *loaded)
{
	if (!loaded)
		return;
	for (size_t i = 0; i < loaded->tree_count; i++) {
		calltree_free((struct calltree *)loaded->trees[i]);
		samples_free((struct samples *)loaded->samples[i]);
	}
	free(loaded->trees);
	free(loaded->samples);
	lines_free(loaded->problems, loaded->problem_count);
	if (loaded->run)
		run_free(loaded->run);
	free(loaded);
}
