/* Instrumenter `dummy`: hooks nothing; user regions are recorded all the same.  What a
 * run costs besides its hooks is measured with it. */
#include "collector.h"

static const char *unavailable(void)
{
	return NULL;
}

static int start(void)
{
	return 0;
}

static void stop(void)
{
}

const struct instrumenter dummy_instrumenter = {
	.name = "dummy",
	.unavailable = unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = start,
	.stop = stop,
};
