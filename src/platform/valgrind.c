/* The question every tool of Valgrind answers: instructions that change nothing, which it knows
 * by their order (its manual, "the client request mechanism").  A processor leaves the answer as
 * it was given. */
#include "platform/valgrind.h"

#include <stdint.h>

#define RUNNING_ON_VALGRIND 0x1001

bool valgrind_is_here(void)
{
	volatile uint64_t question[6] = {RUNNING_ON_VALGRIND};
	uint64_t answer = 0;

#if defined(__x86_64__)
	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(question)
			 : "cc", "memory");
#elif defined(__aarch64__)
	register uint64_t x3 __asm__("x3") = answer;
	register const volatile uint64_t *x4 __asm__("x4") = question;

	__asm__ volatile("ror x12, x12, #3\n\t"
			 "ror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\t"
			 "ror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(x3)
			 : "r"(x4)
			 : "cc", "memory");
	answer = x3;
#else
	(void)question;
#endif
	return answer != 0;
}
