/* Masks: sampling's signals are never blocked, and never seen to be missing. */
#include "collectors/shield/shield.h"

#define LOW_SIGNALS UINT64_C(0xffffffff) /* all that masks in an int hold */

/* Give the program what it names alone: everything at once is no interest in one signal. */
static void want_named(uint64_t bits)
{
	uint64_t ours = kymo_sample_signals();

	if ((bits & ours) && !kymo_signal_is_all(bits))
		kymo_signal_want(bits & ours);
}

sigset_t shield_without(const sigset_t *set)
{
	sigset_t copy = *set;
	uint64_t bits = shield_bits(set);

	want_named(bits);
	shield_set_bits(&copy, bits & ~kymo_sample_signals());
	return copy;
}

/* A handler on an alternate stack has sampling's signals blocked, and may have been left by a
 * jump that keeps the mask: who lets its signal in again then lets those in, too. */
static uint64_t let_in(void)
{
	stack_t stack = {.ss_flags = SS_DISABLE};

	if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK))
		return 0;
	return kymo_sample_signals();
}

typedef int (*mask_fn)(int how, const sigset_t *set, sigset_t *before);

static int change(mask_fn real, int how, const sigset_t *set, sigset_t *before)
{
	sigset_t without;
	int result;

	if (set) {
		without = shield_without(set);
		if (how == SIG_UNBLOCK)
			shield_set_bits(&without, shield_bits(&without) | let_in());
		set = &without;
	}
	result = real(how, set, before);
	if (result == 0 && before)
		shield_set_bits(before, shield_seen(shield_bits(before)));
	return result;
}

int shield_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	mask_fn real = shield_real()->sigprocmask;

	if (!shield_is_on())
		return real(how, set, before);
	return change(real, how, set, before);
}

int shield_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	mask_fn real = shield_real()->pthread_sigmask;

	if (!shield_is_on())
		return real(how, set, before);
	return change(real, how, set, before);
}

/* ---- older calls: a signal, or the first 32 in an int ------------------------------------ */

static int change_low(int how, uint64_t bits)
{
	sigset_t set, before;

	sigemptyset(&set);
	shield_set_bits(&set, bits & LOW_SIGNALS);
	if (change(shield_real()->sigprocmask, how, &set, &before) != 0)
		return -1;
	return (int)shield_bits(&before);
}

int shield_sigblock(int mask)
{
	if (!shield_is_on())
		return shield_real()->sigblock(mask);
	return change_low(SIG_BLOCK, (unsigned)mask);
}

int shield_sigsetmask(int mask)
{
	if (!shield_is_on())
		return shield_real()->sigsetmask(mask);
	return change_low(SIG_SETMASK, (unsigned)mask);
}

int shield_siggetmask(void)
{
	if (!shield_is_on())
		return shield_real()->siggetmask();
	return change_low(SIG_BLOCK, 0);
}

static int change_one(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	if (sigaddset(&set, number) != 0)
		return -1;
	return change(shield_real()->sigprocmask, how, &set, NULL);
}

int shield_sighold(int number)
{
	if (!shield_is_on())
		return shield_real()->sighold(number);
	return change_one(SIG_BLOCK, number);
}

int shield_sigrelse(int number)
{
	if (!shield_is_on())
		return shield_real()->sigrelse(number);
	return change_one(SIG_UNBLOCK, number);
}

/* ---- what is pending ------------------------------------------------------------------- */

int shield_sigpending(sigset_t *set)
{
	int result = shield_real()->sigpending(set);

	if (shield_is_on() && result == 0)
		shield_set_bits(set, shield_bits(set) & ~kymo_sample_signals());
	return result;
}

int shield_signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t without;

	if (shield_is_on() && set) {
		without = shield_without(set);
		set = &without;
	}
	return shield_real()->signalfd(fd, set, flags);
}
