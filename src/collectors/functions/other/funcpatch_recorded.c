/* Processors for which the cost of a call is measured in the other way. */
#include "collectors/functions/funcpatch_recorded.h"

bool funcpatch_recorded_call(struct funcpatch_recorded *recorded)
{
	(void)recorded;
	return false;
}
