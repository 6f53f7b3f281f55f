/* The client request that every tool of Valgrind supports; on a processor the result is
 * unchanged. */
#include "platform/valgrind.h"

#include "platform/processor_detect.h"

#define RUNNING_ON_VALGRIND 0x1001

bool valgrind_is_here(void)
{
	volatile uint64_t question[6] = {RUNNING_ON_VALGRIND};

	return processor_request_valgrind(question) != 0;
}
