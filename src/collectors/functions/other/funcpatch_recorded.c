/* Processors on which nothing is called through, and the cost of a call is measured otherwise. */
#include "collectors/functions/funcpatch.h"

#include "collectors/functions/funcpatch_call.h"

bool funcpatch_is_return_point(uint64_t address)
{
	(void)address;
	return false;
}

uint64_t funcpatch_counted_ps(void)
{
	return 0;
}

uint64_t funcpatch_counting_ps(void)
{
	return 0;
}

bool funcpatch_recorded_call(struct funcpatch_recorded *recorded)
{
	(void)recorded;
	return false;
}
