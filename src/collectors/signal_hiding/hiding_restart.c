/* Blocked signals are delivered in between, or while the call waits. */
#include "collectors/signal_hiding/hiding_restart.h"

#include <string.h>

#include "base/keeperrno.h"
#include "collectors/signal_hiding/hiding_masks.h"
#include "collectors/signal_hiding/hiding_real.h"
#include "platform/systemclock.h"

#define NS_PER_S 1000000000

/* The C library does not change the two signals of its own, which nothing blocks for long. */
static void set_mask(uint64_t bits)
{
	sigset_t set;

	sigemptyset(&set);
	hiding_set_bits(&set, bits);
	hiding_real()->pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void hiding_release(void *argument)
{
	struct hiding_call *call = argument;
	KEEP_ERRNO();

	if (call->is_blocked) {
		call->is_blocked = false;
		set_mask(call->mask);
	}
}

bool hiding_repeats_slow(struct hiding_call *call, bool is_ended)
{
	hiding_release(call);
	return is_ended && hiding_is_alone(call);
}

static int restart_continue(struct hiding_call *call, hiding_once_fn once, const void *what,
			    const sigset_t *mask)
{
	sigset_t blocked;
	int result;

	if (!mask) {
		memset(&blocked, 0, sizeof(blocked));
		hiding_set_bits(&blocked, call->mask);
		mask = &blocked;
	}
	do
		HIDING_WAIT(call, result = once(what, mask));
	while (result == HIDING_MORE ||
	       (call->was_interrupted && result < 0 && errno == EINTR && hiding_is_alone(call)));
	return result;
}

int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask)
{
	int result;

	call->number = (uint32_t)number + 1;
	pthread_cleanup_push(hiding_release, call);
	result = restart_continue(call, once, what, mask);
	pthread_cleanup_pop(1);
	return result;
}

int64_t hiding_now_ns(clockid_t clock)
{
	struct timespec now;

	systemclock_read(clock, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t hiding_deadline(clockid_t clock, const struct timespec *length)
{
	int64_t now, deadline;

	if (!length)
		return HIDING_FOREVER;
	now = hiding_now_ns(clock);
	if (__builtin_mul_overflow((int64_t)length->tv_sec, NS_PER_S, &deadline) ||
	    __builtin_add_overflow(deadline, (int64_t)length->tv_nsec, &deadline) ||
	    __builtin_add_overflow(deadline, now, &deadline))
		return HIDING_FOREVER;
	return deadline;
}

struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	int64_t left;

	if (deadline == HIDING_FOREVER)
		return NULL;
	left = deadline - hiding_now_ns(clock);
	if (left < 0)
		left = 0;
	rest->tv_sec = left / NS_PER_S;
	rest->tv_nsec = left % NS_PER_S;
	return rest;
}
