/* The function of a plan that contains an address.  Called from slow routines: it uses only general
 * registers. */
#include "patch/read/planreadfunction.h"

#include "base/partitionpoint.h"

/* Loops come after all functions. */
static bool planreadfunction_is_behind(const struct plan_function *function, uint64_t address)
{
	return (function->flags & PLAN_FUNCTION_LOOP) || function->address > address;
}

uint64_t plan_function_at(const struct plan *plan, uint64_t address)
{
	uint64_t low = partition_point(plan->header->function_count, i,
				       !planreadfunction_is_behind(&plan->functions[i], address));

	if (low == 0 || address - plan->functions[low - 1].address >= plan->functions[low - 1].size)
		return plan->header->function_count;
	return low - 1;
}
