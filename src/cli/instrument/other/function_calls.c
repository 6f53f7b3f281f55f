/* Calls in code that is not decoded here. */
#include "cli/instrument/function_calls.h"

enum kymo_status function_calls_find(const char *path, const struct plan *plan,
				     const struct function_rules *rules, struct symbols *symbols,
				     bool **calls_out, struct problem *problem)
{
	(void)plan;
	(void)rules;
	(void)symbols;
	(void)calls_out;
	return problem_set(
		problem, KYMO_UNAVAILABLE,
		"cannot find the callees of functions of '%s': code of this processor is not "
		"decoded",
		path);
}
