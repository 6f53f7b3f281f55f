/* Builds without an instruction decoder have no plans. */
#include "patch/plan/cache/plancache.h"

enum kymo_status plancache_get(const char *path, struct plan_kind kind, struct plan *plan_out,
			       void **bytes_out, size_t *size_out, struct problem *problem)
{
	(void)kind;
	(void)plan_out;
	(void)bytes_out;
	(void)size_out;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "cannot instrument '%s': this kymo was built without Zydis", path);
}

bool plancache_has(const struct plan *plan)
{
	(void)plan;
	return false;
}

enum kymo_status plancache_hand(int fd, const void *bytes, size_t size, struct problem *problem)
{
	(void)fd;
	(void)bytes;
	(void)size;
	return problem_set(problem, KYMO_UNAVAILABLE, "this kymo was built without Zydis");
}

void plancache_release(void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
}
