/* Loading a run with the call trees of its processes. */
#include "report/loaded_run.h"

#include <stdlib.h>

#include "base/array.h"

static void add_tree(struct loaded_run *loaded, const struct recording *recording)
{
	struct problem problem;
	struct calltree *tree;

	if (calltree_new(recording, &tree, &problem) < 0)
		lines_add(&loaded->problems, &loaded->problem_count, "%s", problem.text);
	else
		loaded->trees[loaded->tree_count++] = tree;
}

static enum kymo_status add_trees(struct loaded_run *loaded, uint32_t pid, struct problem *problem)
{
	const struct run *run = loaded->run;

	loaded->trees = calloc(run->recording_count + 1, sizeof(*loaded->trees));
	if (!loaded->trees)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < run->recording_count; i++) {
		if (pid == 0 || run->recordings[i]->header.pid == pid)
			add_tree(loaded, run->recordings[i]);
	}
	if (loaded->tree_count > 0)
		return KYMO_OK;
	if (loaded->problem_count > 0)
		return problem_set(problem, KYMO_FORMAT, "%s", loaded->problems[0]);
	return problem_set(problem, KYMO_USAGE,
			   "no process %u in '%s'; 'kymo report --processes' lists them", pid,
			   run->path);
}

enum kymo_status loaded_run_open(const char *path, uint32_t pid, struct loaded_run **out,
				 struct problem *problem)
{
	struct loaded_run *loaded = calloc(1, sizeof(*loaded));
	enum kymo_status status;

	if (!loaded)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = run_open(path, &loaded->run, problem);
	if (status == KYMO_OK)
		status = add_trees(loaded, pid, problem);
	if (status < 0) {
		loaded_run_free(loaded);
		return status;
	}
	*out = loaded;
	return KYMO_OK;
}

void loaded_run_free(struct loaded_run *loaded)
{
	if (!loaded)
		return;
	for (size_t i = 0; i < loaded->tree_count; i++)
		calltree_free((struct calltree *)loaded->trees[i]);
	free(loaded->trees);
	lines_free(loaded->problems, loaded->problem_count);
	if (loaded->run)
		run_free(loaded->run);
	free(loaded);
}
