/* Several runs as one: their recordings together, each process once. */
#include "model/recording/run_several.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/recording/run_doubles.h"

static bool take_problems(struct run *run, struct run *other)
{
	for (size_t i = 0; i < other->problem_count; i++) {
		if (!lines_add(&run->problems, &run->problem_count, "%s", other->problems[i]))
			return false;
	}
	return true;
}

/* Move the recordings of other to run. */
static bool take_recordings(struct run *run, struct run *other)
{
	size_t count = run->recording_count + other->recording_count;
	struct recording **grown = realloc(run->recordings, count * sizeof(struct recording *));

	if (!grown)
		return false;
	run->recordings = grown;
	run->is_own = run->is_own && other->is_own;
	for (size_t i = 0; i < other->recording_count; i++)
		run->recordings[run->recording_count++] = other->recordings[i];
	other->recording_count = 0;
	return true;
}

enum kymo_status run_open_all(const char *const *paths, size_t count, struct run **out,
			      struct problem *problem)
{
	struct run *run, *other;
	enum kymo_status status = run_open(paths[0], &run, problem);

	if (status < 0)
		return status;
	for (size_t i = 1; status == KYMO_OK && i < count; i++) {
		status = run_open(paths[i], &other, problem);
		if (status < 0)
			break;
		if (!take_problems(run, other) || !take_recordings(run, other))
			status = problem_set(problem, KYMO_MEMORY, "no memory to read '%s'",
					     paths[i]);
		run_free(other);
	}
	if (status == KYMO_OK)
		status = run_leave_out_doubles(run, problem);
	if (status < 0) {
		run_free(run);
		return status;
	}
	*out = run;
	return KYMO_OK;
}
