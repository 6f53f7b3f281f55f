/* Several runs as one: their recordings together, each process once. */
#include "model/recording/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool is_same_process(const struct recording *a, const struct recording *b)
{
	return memcmp(a->header.run_id, b->header.run_id, sizeof(a->header.run_id)) == 0 &&
	       a->header.pid == b->header.pid &&
	       a->header.start_realtime_ns == b->header.start_realtime_ns;
}

static bool holds(const struct run *run, const struct recording *recording)
{
	for (size_t i = 0; i < run->recording_count; i++) {
		if (is_same_process(run->recordings[i], recording))
			return true;
	}
	return false;
}

static bool take_problems(struct run *run, struct run *other)
{
	for (size_t i = 0; i < other->problem_count; i++) {
		if (!lines_add(&run->problems, &run->problem_count, "%s", other->problems[i]))
			return false;
	}
	return true;
}

/* The recordings of other are run's from then on. */
static bool take_recordings(struct run *run, struct run *other)
{
	size_t count = run->recording_count + other->recording_count;
	struct recording **grown = realloc(run->recordings, count * sizeof(struct recording *));

	if (!grown)
		return false;
	run->recordings = grown;
	run->is_own = run->is_own && other->is_own;
	for (size_t i = 0; i < other->recording_count; i++) {
		struct recording *recording = other->recordings[i];

		if (!holds(run, recording)) {
			run->recordings[run->recording_count++] = recording;
			continue;
		}
		lines_add(&run->problems, &run->problem_count, "'%s' is there already, left out",
			  recording->path);
		recording_free(recording);
	}
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
	if (status < 0) {
		run_free(run);
		return status;
	}
	*out = run;
	return KYMO_OK;
}
