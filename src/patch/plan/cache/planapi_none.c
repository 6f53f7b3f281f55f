/* Builds without an instruction decoder make no plans of libraries. */
#include "patch/plan/cache/planapi.h"

enum kymo_status planapi_make(const char *file, const char *pattern, struct plan_kind kind,
			      int hand_fd, uint64_t *count_out, struct problem *problem)
{
	(void)hand_fd;
	(void)pattern;
	(void)kind;
	(void)count_out;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "cannot record the calls into '%s': this kymo was built without Zydis",
			   file);
}
