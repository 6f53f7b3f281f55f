/* A system call on AArch64: platform/rawcall.h. */
#ifndef KYMO_RAWCALL_AARCH64_H
#define KYMO_RAWCALL_AARCH64_H

static inline __attribute__((always_inline)) long
raw_call6(long number, long first, long second, long third, long fourth, long fifth, long sixth)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = first;
	register long x1 __asm__("x1") = second;
	register long x2 __asm__("x2") = third;
	register long x3 __asm__("x3") = fourth;
	register long x4 __asm__("x4") = fifth;
	register long x5 __asm__("x5") = sixth;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#endif
