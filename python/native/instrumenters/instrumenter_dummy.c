/* Instrumenter `dummy`: hooks nothing; user regions are still recorded.  It measures the cost of a
 * run without hooks. */
#include "collector.h"

static const char *dummy_unavailable(void)
{
	return NULL;
}

static int dummy_start(void)
{
	return 0;
}

static void dummy_stop(void)
{
}

const struct instrumenter dummy_instrumenter = {
	.name = "dummy",
	.unavailable = dummy_unavailable,
	.sees_c = true,
	.sees_arguments = true,
	.sees_offset = true,
	.start = dummy_start,
	.stop = dummy_stop,
};
