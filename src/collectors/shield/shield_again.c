/* Calls that are begun again after sampling has come in, and the time that is left to them. */
#include "collectors/shield/shield.h"

#define NS_PER_S 1000000000

/* The C library leaves out the two signals of its own, which nothing blocks for long. */
static void set_mask(uint64_t bits)
{
	sigset_t set;

	sigemptyset(&set);
	shield_set_bits(&set, bits);
	shield_real()->pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void shield_release(void *argument)
{
	struct shield_call *call = argument;
	int saved = errno;

	if (call->is_held) {
		call->is_held = false;
		set_mask(call->mask);
	}
	errno = saved;
}

/* What is ignored ends no call. */
static bool has_handler(int number)
{
	struct sigaction action;

	return shield_real()->sigaction(number, NULL, &action) == 0 &&
	       action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

static bool has_another_come(const struct shield_call *call, uint64_t except)
{
	uint64_t bits;
	sigset_t pending;

	if (shield_real()->sigpending(&pending) != 0)
		return false;
	bits = shield_bits(&pending) & ~call->mask & ~except;
	for (; bits; bits &= bits - 1)
		if (has_handler(__builtin_ctzll(bits) + 1))
			return true;
	return false;
}

bool shield_repeats_slow(struct shield_call *call, bool is_ended, uint64_t except)
{
	int saved = errno;
	bool repeats = is_ended && !has_another_come(call, except);

	shield_release(call);
	errno = saved;
	return repeats;
}

static int go_on(struct shield_call *call, shield_once_fn once, const void *what,
		 const sigset_t *mask)
{
	sigset_t blocked;
	int result;

	if (!mask) {
		memset(&blocked, 0, sizeof(blocked));
		shield_set_bits(&blocked, call->mask);
		mask = &blocked;
	}
	do
		SHIELD_WAIT(call, result = once(what, mask));
	while (result == SHIELD_MORE || (call->has_come && result < 0 && errno == EINTR));
	return result;
}

int shield_go_on(struct shield_call *call, shield_once_fn once, const void *what,
		 const sigset_t *mask)
{
	int result;

	pthread_cleanup_push(shield_release, call);
	result = go_on(call, once, what, mask);
	pthread_cleanup_pop(1);
	return result;
}

int64_t shield_now_ns(clockid_t clock)
{
	struct timespec now = {0, 0};

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t shield_deadline(clockid_t clock, const struct timespec *length)
{
	int64_t now, deadline;

	if (!length)
		return SHIELD_FOREVER;
	now = shield_now_ns(clock);
	if (__builtin_mul_overflow((int64_t)length->tv_sec, NS_PER_S, &deadline) ||
	    __builtin_add_overflow(deadline, (int64_t)length->tv_nsec, &deadline) ||
	    __builtin_add_overflow(deadline, now, &deadline))
		return SHIELD_FOREVER;
	return deadline;
}

struct timespec *shield_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	int64_t left;

	if (deadline == SHIELD_FOREVER)
		return NULL;
	left = deadline - shield_now_ns(clock);
	if (left < 0)
		left = 0;
	rest->tv_sec = left / NS_PER_S;
	rest->tv_nsec = left % NS_PER_S;
	return rest;
}
