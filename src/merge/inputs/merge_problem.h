/* The error message of a merge that is out of memory. */
#ifndef KYMO_MERGE_PROBLEM_H
#define KYMO_MERGE_PROBLEM_H

#include "base/status.h"

static inline enum kymo_status merge_no_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "no memory to merge; try a smaller --memory");
}

#endif
