/* Without libdw there is no debug information. */
#include "object/debug/debug_info.h"

struct debug_info *debug_info_open(const struct debug_request *request,
				   enum debug_obstacle *obstacle_out)
{
	(void)request;
	*obstacle_out = DEBUG_FILE_READ;
	return NULL;
}

void debug_info_close(struct debug_info *info)
{
	(void)info;
}

void debug_info_enable_functions(struct debug_info *info)
{
	(void)info;
}

size_t debug_info_find(struct debug_info *info, uint64_t value, struct debug_function *functions,
		       size_t max)
{
	(void)info;
	(void)value;
	(void)functions;
	(void)max;
	return 0;
}

bool debug_info_start(struct debug_info *info, uint64_t value, uint64_t *start_out)
{
	(void)info;
	(void)value;
	(void)start_out;
	return false;
}
