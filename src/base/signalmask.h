/* The signals to block while Kymo's code runs on a thread of the program.
 *
 * Synchronous signals, raised by an instruction or a system call, are not among them: if such a
 * signal is blocked, the kernel takes its default action and ends the process.  A program may
 * single-step its own code by the trap flag, handle system calls in a SIGSYS handler, or fill pages
 * in a SIGSEGV handler, and Kymo's code runs under all of that.  Context: any. */
#ifndef KYMO_SIGNALMASK_H
#define KYMO_SIGNALMASK_H

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline uint64_t signalmask_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

/* As in the kernel. */
static inline uint64_t signalmask_blocked(void)
{
	return ~(signalmask_bit(SIGTRAP) | signalmask_bit(SIGSYS) | signalmask_bit(SIGSEGV) |
		 signalmask_bit(SIGBUS) | signalmask_bit(SIGILL) | signalmask_bit(SIGFPE));
}

/* Block them on the calling thread, by system call: the function may be wrapped.  *before_out:
 * the mask to restore. */
static inline void signalmask_block(uint64_t *before_out)
{
	const uint64_t held = signalmask_blocked();

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held, before_out, sizeof(held));
}

static inline void signalmask_restore(uint64_t before)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
}

/* As in the C library. */
static inline void signalmask_fill(sigset_t *set)
{
	const uint64_t held = signalmask_blocked();

	sigfillset(set);
	memcpy(set, &held, sizeof(held));
}

#endif
