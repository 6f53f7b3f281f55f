/* AArch64's counter, which always ticks at a constant rate, and its Valgrind client request. */
#include "platform/processor_detect.h"

enum kymo_clock_kind processor_clock(void)
{
	return KYMO_CLOCK_CNTVCT;
}

uint64_t processor_request_valgrind(const volatile uint64_t *question)
{
	register uint64_t x3 __asm__("x3") = 0;
	register const volatile uint64_t *x4 __asm__("x4") = question;

	__asm__ volatile("ror x12, x12, #3\n\t"
			 "ror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\t"
			 "ror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(x3)
			 : "r"(x4)
			 : "cc", "memory");
	return x3;
}
