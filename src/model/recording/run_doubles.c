/* If processes are in two recordings of a run, one is left out: a merged one contains all of the
 * others. */
#include "model/recording/run_doubles.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/recording/process_set.h"
#include "model/recording/recording_open.h"

/* Numbers of the recordings, merged ones of most parts first. */
static int by_parts(const void *left, const void *right, void *context)
{
	struct recording *const *recordings = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint32_t parts_a = recordings[a]->part_count, parts_b = recordings[b]->part_count;

	if (parts_a != parts_b)
		return parts_a > parts_b ? -1 : 1;
	return (a > b) - (a < b);
}

/* One line; false = out of memory. */
static bool run_report_double(struct run *run, const char *path, const char *other, size_t count,
			      size_t total)
{
	if (count == total)
		return lines_add(&run->problems, &run->problem_count,
				 "'%s' is in '%s' already; taken once", path, other);
	return lines_add(&run->problems, &run->problem_count,
			 "'%s' and '%s' have %zu process%s in common, which would count twice; "
			 "left out: merge what they were made of",
			 path, other, count, count == 1 ? "" : "es");
}

/* Mark in is_double what to remove. */
static bool find_doubles(struct run *run, const uint32_t *order, bool *is_double)
{
	struct process_set set = {0};
	bool is_complete = true;

	for (size_t i = 0; i < run->recording_count && is_complete; i++) {
		const struct recording *recording = run->recordings[order[i]];
		const char *other = NULL;
		size_t total, count = process_set_count(&set, recording, &other, &total);

		is_double[order[i]] = count > 0;
		is_complete = count ? run_report_double(run, recording->path, other, count, total)
				    : process_set_add_all(&set, recording, recording->path);
	}
	process_set_release(&set);
	return is_complete;
}

static void remove_marked(struct run *run, const bool *is_double)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->recording_count; i++) {
		if (is_double[i])
			recording_free(run->recordings[i]);
		else
			run->recordings[kept++] = run->recordings[i];
	}
	run->recording_count = kept;
}

enum kymo_status run_leave_out_doubles(struct run *run, struct problem *problem)
{
	uint32_t *order;
	bool *is_double;
	bool is_complete;

	if (run->recording_count < 2)
		return KYMO_OK;
	order = calloc(run->recording_count, sizeof(*order));
	is_double = calloc(run->recording_count, sizeof(*is_double));
	is_complete = order && is_double;
	for (size_t i = 0; is_complete && i < run->recording_count; i++)
		order[i] = (uint32_t)i;
	if (is_complete)
		qsort_r(order, run->recording_count, sizeof(*order), by_parts, run->recordings);
	is_complete = is_complete && find_doubles(run, order, is_double);
	if (is_complete)
		remove_marked(run, is_double);
	free(order);
	free(is_double);
	return is_complete ? KYMO_OK
			   : problem_set(problem, KYMO_MEMORY, "no memory to read '%s'", run->path);
}
