/* kymo attach --dump. */
#include "cli/attach_dump.h"

int attach_dump(const struct attach_request *request)
{
	(void)request;
	return 1;
}
