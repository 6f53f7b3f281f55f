/* The cost of recording a tree's instrumented functions. */
#include "model/tree/calltree_cost.h"

#include "model/functions/functions.h"
#include "model/functions/throttled_calls.h"
#include "model/tree/calltree.h"

/* The time between the two clock readings of a timed call is known; the slow path around them takes
 * three times as much (docs/overhead.md). */
#define TIMED_TIMES 4.0

/* Calls that are not timed, and those that are. */
static double counted_ns(const struct calltree *tree)
{
	const struct functions *functions = tree->recording->functions;
	uint64_t calls = tree->function_call_count - tree->throttled_call_count;
	double timing_ns = (double)functions->timing_ticks * recording_tick_ns(tree->recording);

	return (double)calls * (double)functions->cost_ps * 1e-3 +
	       (double)tree->timed_call_count * timing_ns * TIMED_TIMES;
}

double calltree_functions_cost_ns(const struct calltree *tree)
{
	double ns = tree->own_work_ns;

	if (!tree->recording->functions || !tree->function_call_count)
		return 0;
	ns += (double)tree->throttled_call_count * throttled_calls_cost_ns(tree->recording);
	return ns + (tree->functions_cost_ns > 0 ? tree->functions_cost_ns : counted_ns(tree));
}
