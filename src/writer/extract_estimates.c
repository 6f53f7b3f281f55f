/* Copies errors of estimates from a tree to an extract of it. */
#include "writer/extract_estimates.h"

#include <math.h>
#include <stdlib.h>

#define NANOSECONDS_MOST 0x1p62 /* an error, so that its square has 128 bits */

/* Rounded up: a small error must not vanish. */
static struct kymo_error extract_estimates_error_of(double error, double off)
{
	double most = fmin(fmax(error, 0), NANOSECONDS_MOST), straight = fmin(fmax(off, 0), most);
	double rest = ceil(most - straight), square = rest * rest, high = floor(square * 0x1p-64);

	return (struct kymo_error){
		.off = (uint64_t)ceil(straight),
		.squares = (uint64_t)(square - high * 0x1p64),
		.squares_high = (uint64_t)high,
	};
}

static void extract_estimates_take_times(const struct calltree_estimate *from,
					 struct kymo_estimate *to)
{
	to->flags |= KYMO_ESTIMATE_OF_TIME;
	to->errors[KYMO_TOTAL_BELOW] =
		extract_estimates_error_of(from->total_below_ns, from->total_off_below_ns);
	to->errors[KYMO_TOTAL_ABOVE] =
		extract_estimates_error_of(from->total_above_ns, from->total_off_above_ns);
	to->errors[KYMO_SELF_BELOW] =
		extract_estimates_error_of(from->self_below_ns, from->self_off_below_ns);
	to->errors[KYMO_SELF_ABOVE] =
		extract_estimates_error_of(from->self_above_ns, from->self_off_above_ns);
}

/* Callers of extracted regions are not in the extract: they become 0.  Calls of other regions by
 * callers outside of it are left out. */
static bool has_caller(const struct extract *extract, const struct calltree_estimated *from,
		       uint32_t *caller_out)
{
	if (from->caller == CALLTREE_NONE)
		*caller_out = KYMO_TOTAL_OF_REGION;
	else
		*caller_out = extract->region_of[from->caller];
	return *caller_out || extract->marks[from->region];
}

static void extract_estimates_write_one(struct extract *extract,
					const struct calltree_estimated *from, const double *unseen)
{
	struct kymo_error calls = extract_estimates_error_of(unseen[from->region], 0);
	struct kymo_estimate estimate = {
		.thread = extract->thread_of[from->thread],
		.region = extract->region_of[from->region],
		.flags = from->estimate.has_unsure_calls ? 0 : KYMO_ESTIMATE_CALLS_KNOWN,
		.unseen = calls.squares,
		.unseen_high = calls.squares_high,
	};

	if (extract->root_of[from->thread] == CALLTREE_NONE || !estimate.region ||
	    !has_caller(extract, from, &estimate.caller))
		return;
	if (from->estimate.is_known)
		extract_estimates_take_times(&from->estimate, &estimate);
	if (from->caller != CALLTREE_NONE) {
		estimate.errors[KYMO_CALLS_BELOW] =
			extract_estimates_error_of(from->estimate.calls_below, 0);
		estimate.errors[KYMO_CALLS_ABOVE] =
			extract_estimates_error_of(from->estimate.calls_above, 0);
	}
	recording_writer_estimate(extract->maker, &estimate);
}

/* How many calls a caller without any timed call may have made: as many as for an observed one.
 * Estimates are sorted by thread: returns the first one after this thread's. */
static size_t extract_estimates_find_unseen(const struct calltree *tree, size_t first,
					    double *unseen)
{
	size_t end = first;

	for (; end < tree->estimated_count &&
	       tree->estimated[end].thread == tree->estimated[first].thread;
	     end++)
		unseen[tree->estimated[end].region] = 0;
	for (size_t i = first; i < end; i++) {
		const struct calltree_estimated *from = &tree->estimated[i];

		if (from->caller != CALLTREE_NONE)
			unseen[from->region] =
				fmax(unseen[from->region], from->estimate.calls_below);
	}
	return end;
}

bool extract_write_estimates(struct extract *extract)
{
	const struct calltree *tree = extract->tree;
	double *unseen = calloc(tree->recording->region_count + (size_t)1, sizeof(*unseen));

	if (!unseen)
		return false;
	for (size_t first = 0, end; first < tree->estimated_count; first = end) {
		end = extract_estimates_find_unseen(tree, first, unseen);
		for (size_t i = first; i < end; i++)
			extract_estimates_write_one(extract, &tree->estimated[i], unseen);
	}
	free(unseen);
	return true;
}
