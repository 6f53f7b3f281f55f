/* Without libdw nothing is known of parameters. */
#include "object/debug/debug_values.h"

bool debug_values_find(const char *path, struct debug_signature *signatures, size_t count)
{
	(void)path;
	(void)signatures;
	(void)count;
	return false;
}

void debug_values_release(struct debug_signature *signatures, size_t count)
{
	(void)signatures;
	(void)count;
}
