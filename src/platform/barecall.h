/* A system call and nothing else: syscall() itself may be wrapped, by libraries of Kymo's too,
 * and sets errno, which a thread has no place for where it shares another's.
 * The result, or -errno.  Context: any. */
#ifndef KYMO_BARECALL_H
#define KYMO_BARECALL_H

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <errno.h>
#include <unistd.h>
#endif

static inline long bare_call(long number, long first, long second, long third, long fourth)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = fourth;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
	return number;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = first;
	register long x1 __asm__("x1") = second, x2 __asm__("x2") = third;
	register long x3 __asm__("x3") = fourth;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	int saved = errno;
	long result = syscall(number, first, second, third, fourth);

	if (result < 0)
		result = -errno;
	errno = saved;
	return result;
#endif
}

#endif
