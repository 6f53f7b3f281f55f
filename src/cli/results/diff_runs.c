/* Opening the runs of a comparison. */
#include "cli/results/diff_runs.h"

#include <string.h>
#include <unistd.h>

#include "command/xalloc.h"

static enum kymo_status open_run(struct diff_loaded *loaded, enum diff_side side, const char *path,
				 struct problem *problem)
{
	const struct loaded_options options = {
		.wants_samples = loaded->wants_samples,
		.sampled = loaded->sampled,
	};
	enum kymo_status status;

	if (loaded->count[side] == OPTION_WORDS_MAX)
		return problem_set(problem, KYMO_USAGE,
				   "at most %d runs a side; 'kymo merge' makes one of them",
				   OPTION_WORDS_MAX);
	status = loaded_run_open(path, &options, &loaded->runs[side][loaded->count[side]], problem);
	loaded->count[side] += status == KYMO_OK;
	return status;
}

/* A path may contain commas. */
static enum kymo_status open_list(struct diff_loaded *loaded, enum diff_side side, const char *list,
				  struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	char *rest, *path;

	if (access(list, F_OK) == 0 || !strchr(list, ','))
		return open_run(loaded, side, list, problem);
	rest = xstrdup(list);
	while (status == KYMO_OK && (path = strsep(&rest, ",")))
		status = open_run(loaded, side, path, problem);
	return status;
}

static void runs_close_all(struct diff_loaded *loaded)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < loaded->count[side]; i++)
			loaded_run_free(loaded->runs[side][i]);
		loaded->count[side] = 0;
	}
}

/* Calls are not compared with samples: if all runs have samples, these are compared. */
static bool should_take_samples(const struct diff_loaded *loaded)
{
	bool is_any = false, are_all = true, has_all = true;

	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < loaded->count[side]; i++) {
			is_any |= loaded->runs[side][i]->is_sampled;
			are_all &= loaded->runs[side][i]->is_sampled;
			has_all &= loaded->runs[side][i]->has_samples;
		}
	}
	return is_any && !are_all && has_all;
}

static enum kymo_status open_lists(struct diff_loaded *loaded, const struct option_words *before,
				   const struct option_words *after, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < before->count; i++)
		status = open_list(loaded, DIFF_BEFORE, before->items[i], problem);
	for (size_t i = 0; status == KYMO_OK && i < after->count; i++)
		status = open_list(loaded, DIFF_AFTER, after->items[i], problem);
	return status;
}

enum kymo_status diff_loaded_lists(struct diff_loaded *loaded, const struct option_words *before,
				   const struct option_words *after, struct problem *problem)
{
	enum kymo_status status = open_lists(loaded, before, after, problem);

	if (status < 0 || !should_take_samples(loaded))
		return status;
	runs_close_all(loaded);
	loaded->wants_samples = true;
	return open_lists(loaded, before, after, problem);
}

enum kymo_status diff_loaded_pair(struct diff_loaded *loaded, const char *before, const char *after,
				  struct problem *problem)
{
	const struct option_words first = {.items = {before}, .count = 1};
	const struct option_words second = {.items = {after}, .count = 1};

	return diff_loaded_lists(loaded, &first, &second, problem);
}

void diff_loaded_release(struct diff_loaded *loaded)
{
	runs_close_all(loaded);
}
