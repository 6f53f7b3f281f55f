/* Which signals are held back while Kymo is at work on a thread of the program.
 *
 * Not those that an instruction or a system call raises by itself: when such a one is blocked
 * the kernel gives it its default action and ends the process.  A program may step through its
 * own code by the trap flag, answer system calls by a handler of SIGSYS, or make pages by one
 * of SIGSEGV, and Kymo's code runs under all that.  Context: any. */
#ifndef KYMO_SIGNALMASK_H
#define KYMO_SIGNALMASK_H

#include <signal.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t signalmask_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

/* As the kernel has it. */
static inline uint64_t signalmask_held(void)
{
	return ~(signalmask_bit(SIGTRAP) | signalmask_bit(SIGSYS) | signalmask_bit(SIGSEGV) |
		 signalmask_bit(SIGBUS) | signalmask_bit(SIGILL) | signalmask_bit(SIGFPE));
}

/* As the C library has it. */
static inline void signalmask_fill(sigset_t *set)
{
	const uint64_t held = signalmask_held();

	sigfillset(set);
	memcpy(set, &held, sizeof(held));
}

#endif
