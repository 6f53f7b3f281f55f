/* x86-64's counter, and its Valgrind client request.  The counter is suitable only if it ticks at
 * a constant rate in all power states (CPUID 0x80000007, EDX bit 8: invariant TSC). */
#include "platform/processor_detect.h"

#include <cpuid.h>

enum kymo_clock_kind processor_clock(void)
{
	unsigned eax, ebx, ecx, edx;

	if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8)))
		return KYMO_CLOCK_TSC;
	return KYMO_CLOCK_MONOTONIC;
}

uint64_t processor_request_valgrind(const volatile uint64_t *question)
{
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(question)
			 : "cc", "memory");
	return answer;
}
