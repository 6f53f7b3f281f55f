/* A system call that nothing stands in front of: a library that is loaded before the C library
 * may replace any of its functions, syscall() too.  No errno, not a cancellation point; a
 * negative result is -errno.  Context: any. */
#ifndef KYMO_RAWCALL_H
#define KYMO_RAWCALL_H

#include <sys/syscall.h>

#if defined(__x86_64__)

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

#elif defined(__aarch64__)

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

static inline __attribute__((always_inline)) long raw_call(long number, long first, long second,
							   long third)
{
	return raw_call6(number, first, second, third, 0, 0, 0);
}

#endif
