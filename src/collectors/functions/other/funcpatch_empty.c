/* Processors without plans: nothing is timed. */
#include "collectors/functions/funcpatch_empty.h"

uint64_t funcpatch_empty_ticks(void)
{
	return 0;
}
