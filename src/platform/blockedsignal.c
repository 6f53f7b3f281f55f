/* A synchronous signal is sent to the thread that caused it, so blocking it in the calling
 * thread is enough, and a pending one can be discarded with sigtimedwait() afterwards. */
#include "platform/blockedsignal.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/keeperrno.h"

#define MASK_BYTES 8u /* as in the kernel */

static sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

/* By system call: the function may be wrapped, by one that removes some signals from masks.  This
 * also runs in handlers, which must not be interrupted by these. */
static void change_mask(int how, const sigset_t *set, sigset_t *before)
{
	syscall(SYS_rt_sigprocmask, how, set, before, MASK_BYTES);
}

void signal_block(struct blocked_signal *held, int number)
{
	sigset_t set = only(number), pending;
	KEEP_ERRNO();

	held->number = number;
	sigpending(&pending);
	held->was_pending = sigismember(&pending, number);
	change_mask(SIG_BLOCK, &set, &held->before);
}

void signal_unblock(const struct blocked_signal *held, bool is_raised)
{
	static const struct timespec at_once;
	sigset_t set = only(held->number);
	KEEP_ERRNO();

	if (is_raised && !held->was_pending)
		sigtimedwait(&set, NULL, &at_once);
	change_mask(SIG_SETMASK, &held->before, NULL);
}
