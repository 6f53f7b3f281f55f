/* What timing one call takes on AArch64: no mispredicted branch is in between. */
#include "collectors/functions/funcpatch_empty.h"

#include "platform/ticks.h"

/* The minimum of some consecutive readings: the resolution of the counter is coarse. */
uint64_t funcpatch_empty_ticks(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 64; i++) {
		uint64_t before = ticks_read(), ticks = ticks_read() - before;

		if (ticks < least)
			least = ticks;
	}
	return least;
}
