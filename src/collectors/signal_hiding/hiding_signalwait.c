/* Waiting for signals: those of sampling are neither returned, nor end the wait.
 * Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/hiding_masks.h"

int hiding_sigwait(const sigset_t *set, int *number)
{
	sigset_t without;

	/* The C library restarts it by itself. */
	if (hiding_is_on()) {
		without = hiding_without(set);
		set = &without;
	}
	return hiding_real()->sigwait(set, number);
}

static bool signalwait_is_ended(int result)
{
	return result < 0 && errno == EINTR;
}

int hiding_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	struct hiding_call call = HIDING_CALL;
	struct timespec rest;
	sigset_t without;
	int64_t deadline;
	int result;

	if (!hiding_is_on())
		return hiding_real()->sigtimedwait(set, info, time);
	without = hiding_without(set);
	deadline = hiding_deadline(CLOCK_MONOTONIC, time);
	for (;;) {
		HIDING_WAIT(&call, result = hiding_real()->sigtimedwait(&without, info, time));
		if (!hiding_repeats(&call, signalwait_is_ended(result)))
			return result;
		time = hiding_rest(CLOCK_MONOTONIC, deadline, &rest);
	}
}

int hiding_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	struct hiding_call call = HIDING_CALL;
	sigset_t without;
	int result;

	if (!hiding_is_on())
		return hiding_real()->sigwaitinfo(set, info);
	without = hiding_without(set);
	do
		HIDING_WAIT(&call, result = hiding_real()->sigwaitinfo(&without, info));
	while (hiding_repeats(&call, signalwait_is_ended(result)));
	return result;
}

static int suspend_once(const void *unused, const sigset_t *mask)
{
	(void)unused;
	return hiding_real()->sigsuspend(mask);
}

int hiding_sigsuspend(const sigset_t *set)
{
	struct hiding_call call = HIDING_CALL;
	sigset_t without;
	int result;

	if (!hiding_is_on())
		return hiding_real()->sigsuspend(set);
	without = hiding_without(set);
	HIDING_WAIT(&call, result = hiding_real()->sigsuspend(&without));
	return hiding_finish(&call, result, SYS_rt_sigsuspend, suspend_once, NULL, &without);
}

int hiding_pause(void)
{
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->pause();
	HIDING_WAIT(&call, result = hiding_real()->pause());
	return hiding_finish(&call, result, SYS_pause, suspend_once, NULL, NULL);
}

/* Unblock one signal, leave the others as they are. */
static int pause_for(int number)
{
	sigset_t set;

	if (hiding_pthread_sigmask(SIG_BLOCK, NULL, &set) != 0 || sigdelset(&set, number) != 0)
		return -1;
	return hiding_sigsuspend(&set);
}

/* From the time when masks were ints. */
static int pause_with(int mask)
{
	sigset_t set;

	sigemptyset(&set);
	hiding_set_bits(&set, (unsigned)mask);
	return hiding_sigsuspend(&set);
}

int hiding___sigpause(int what, int is_number)
{
	if (!hiding_is_on())
		return hiding_real()->__sigpause(what, is_number);
	return is_number ? pause_for(what) : pause_with(what);
}

int hiding___xpg_sigpause(int number)
{
	if (!hiding_is_on())
		return hiding_real()->__xpg_sigpause(number);
	return pause_for(number);
}
