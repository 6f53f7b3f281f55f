/* A synchronous signal goes to the thread that caused it, so blocking it in the calling
 * thread is enough, and what is pending afterwards can be taken with sigtimedwait(). */
#include "platform/heldsignal.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

void signal_hold(struct held_signal *held, int number)
{
	sigset_t set = only(number), pending;
	int saved = errno;

	held->number = number;
	sigpending(&pending);
	held->was_pending = sigismember(&pending, number);
	pthread_sigmask(SIG_BLOCK, &set, &held->before);
	errno = saved;
}

void signal_release(const struct held_signal *held, bool is_raised)
{
	static const struct timespec at_once;
	sigset_t set = only(held->number);
	int saved = errno;

	if (is_raised && !held->was_pending)
		sigtimedwait(&set, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &held->before, NULL);
	errno = saved;
}
