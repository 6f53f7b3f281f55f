/* Waiting for signals: those of sampling are no answer, and no end. */
#include "collectors/shield/shield.h"

int shield_sigwait(const sigset_t *set, int *number)
{
	sigset_t without;

	/* The C library begins it again by itself. */
	if (shield_is_on()) {
		without = shield_without(set);
		set = &without;
	}
	return shield_real()->sigwait(set, number);
}

static bool is_ended(int result)
{
	return result < 0 && errno == EINTR;
}

int shield_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	struct shield_call call = SHIELD_CALL;
	struct timespec rest;
	sigset_t without;
	int64_t deadline;
	int result;

	if (!shield_is_on())
		return shield_real()->sigtimedwait(set, info, time);
	without = shield_without(set);
	deadline = shield_deadline(CLOCK_MONOTONIC, time);
	for (;;) {
		SHIELD_WAIT(&call, result = shield_real()->sigtimedwait(&without, info, time));
		if (!shield_repeats(&call, is_ended(result)))
			return result;
		time = shield_rest(CLOCK_MONOTONIC, deadline, &rest);
	}
}

int shield_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	struct shield_call call = SHIELD_CALL;
	sigset_t without;
	int result;

	if (!shield_is_on())
		return shield_real()->sigwaitinfo(set, info);
	without = shield_without(set);
	do
		SHIELD_WAIT(&call, result = shield_real()->sigwaitinfo(&without, info));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}

/* ---- waiting for any signal's handler -------------------------------------------------- */

static int suspend_once(const void *unused, const sigset_t *mask)
{
	(void)unused;
	return shield_real()->sigsuspend(mask);
}

int shield_sigsuspend(const sigset_t *set)
{
	struct shield_call call = SHIELD_CALL;
	sigset_t without;
	int result;

	if (!shield_is_on())
		return shield_real()->sigsuspend(set);
	without = shield_without(set);
	SHIELD_WAIT(&call, result = shield_real()->sigsuspend(&without));
	return shield_finish(&call, result, SYS_rt_sigsuspend, suspend_once, NULL, &without);
}

int shield_pause(void)
{
	struct shield_call call = SHIELD_CALL;
	int result;

	if (!shield_is_on())
		return shield_real()->pause();
	SHIELD_WAIT(&call, result = shield_real()->pause());
	return shield_finish(&call, result, SYS_pause, suspend_once, NULL, NULL);
}

/* One signal is let through, the others are blocked as they are. */
static int pause_for(int number)
{
	sigset_t set;

	if (shield_pthread_sigmask(SIG_BLOCK, NULL, &set) != 0 || sigdelset(&set, number) != 0)
		return -1;
	return shield_sigsuspend(&set);
}

/* From the time when masks were ints. */
static int pause_with(int mask)
{
	sigset_t set;

	sigemptyset(&set);
	shield_set_bits(&set, (unsigned)mask);
	return shield_sigsuspend(&set);
}

int shield___sigpause(int what, int is_number)
{
	if (!shield_is_on())
		return shield_real()->__sigpause(what, is_number);
	return is_number ? pause_for(what) : pause_with(what);
}

int shield___xpg_sigpause(int number)
{
	if (!shield_is_on())
		return shield_real()->__xpg_sigpause(number);
	return pause_for(number);
}
