/* An unknown processor: no counter, and no Valgrind client request. */
#include "platform/processor_detect.h"

enum kymo_clock_kind processor_clock(void)
{
	return KYMO_CLOCK_MONOTONIC;
}

uint64_t processor_request_valgrind(const volatile uint64_t *question)
{
	(void)question;
	return 0;
}
