/* The plan for recording the calls into a library through its exported functions, without changing
 * its text: each of them gets a trampoline that calls it.
 *
 * A plan like others, with call-throughs only, whose writes are never made: a write gives the
 * address of a function's trampoline.  The collector redirects references to the function there. */
#ifndef KYMO_PLANAPI_H
#define KYMO_PLANAPI_H

#include "base/status.h"
#include "patch/plan/plan.h"

/* Make the plan of the file's exported functions whose names match an extended regular expression
 * ("" = all), and put it into the cache; if that fails, write it into hand_fd, -1 = none. */
enum kymo_status planapi_make(const char *file, const char *pattern, struct plan_kind kind,
			      int hand_fd, uint64_t *count_out, struct problem *problem);

#endif
