/* A system call on x86-64: platform/rawcall.h. */
#ifndef KYMO_RAWCALL_X86_64_H
#define KYMO_RAWCALL_X86_64_H

static inline __attribute__((always_inline)) long
raw_call6(long number, long first, long second, long third, long fourth, long fifth, long sixth)
{
	register long r10 __asm__("r10") = fourth;
	register long r8 __asm__("r8") = fifth;
	register long r9 __asm__("r9") = sixth;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
