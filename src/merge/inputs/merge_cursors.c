/* A cursor per run, with equal shares of one buffer size. */
#include "merge/inputs/merge_cursors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* For all cursors together. */
#define BUFFERS_BYTES (UINT64_C(32) << 20)
#define BUFFER_LEAST  4096u
#define BUFFER_MOST   (256u << 10)

static size_t buffer_size(size_t run_count)
{
	uint64_t size = BUFFERS_BYTES / (run_count ? run_count : 1);

	if (size < BUFFER_LEAST)
		return BUFFER_LEAST;
	return size > BUFFER_MOST ? BUFFER_MOST : (size_t)size;
}

void merge_cursors_free(struct merge_cursor *cursors, size_t count)
{
	for (size_t i = 0; cursors && i < count; i++)
		merge_cursor_release(&cursors[i]);
	free(cursors);
}

struct merge_cursor *merge_cursors_new(const struct merge_spill *spill, bool is_of_nodes)
{
	struct merge_cursor *cursors = calloc(spill->run_count + 1, sizeof(*cursors));

	for (size_t i = 0; cursors && i < spill->run_count; i++) {
		if (merge_cursor_init(&cursors[i], spill, &spill->runs[i], is_of_nodes,
				      buffer_size(spill->run_count)))
			continue;
		merge_cursors_free(cursors, spill->run_count);
		return NULL;
	}
	return cursors;
}

enum kymo_status merge_cursors_check(const struct merge_cursor *cursors, size_t count,
				     struct problem *problem)
{
	for (size_t i = 0; i < count; i++)
		if (cursors[i].has_failed)
			return problem_set(problem, KYMO_SYSTEM, "cannot read a temporary file: %s",
					   strerror(errno ? errno : EIO));
	return KYMO_OK;
}
