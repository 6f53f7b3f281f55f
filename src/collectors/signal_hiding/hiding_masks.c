/* Masks: sampling's signals are never blocked, and the program does not see that. */
#include "collectors/signal_hiding/hiding_masks.h"

#include "collectors/signal_hiding/signal_hiding.h"

#define LOW_SIGNALS UINT64_C(0xffffffff) /* all that masks in an int contain */

/* Leave signals to the program if it names them individually: a full mask is no request for one
 * signal. */
static void want_named(uint64_t bits)
{
	uint64_t sampling = kymo_sample_signals();

	if ((bits & sampling) && !kymo_signal_is_all(bits))
		kymo_signal_want(bits & sampling);
}

sigset_t hiding_without(const sigset_t *set)
{
	sigset_t copy = *set;
	uint64_t bits = hiding_bits(set);

	want_named(bits);
	hiding_set_bits(&copy, bits & ~kymo_sample_signals());
	return copy;
}

/* A handler on an alternate stack has sampling's signals blocked, and may have been left by a
 * jump that keeps the mask: code that unblocks its signal then also unblocks those. */
static uint64_t let_in(void)
{
	stack_t stack = {.ss_flags = SS_DISABLE};

	if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK))
		return 0;
	return kymo_sample_signals();
}

typedef int (*mask_fn)(int how, const sigset_t *set, sigset_t *before);

static int masks_change(mask_fn real, int how, const sigset_t *set, sigset_t *before)
{
	sigset_t without;
	int result;

	if (set) {
		without = hiding_without(set);
		if (how == SIG_UNBLOCK)
			hiding_set_bits(&without, hiding_bits(&without) | let_in());
		set = &without;
	}
	result = real(how, set, before);
	if (result == 0 && before)
		hiding_set_bits(before, hiding_seen(hiding_bits(before)));
	return result;
}

int hiding_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	mask_fn real = hiding_real()->sigprocmask;

	if (!hiding_is_on())
		return real(how, set, before);
	return masks_change(real, how, set, before);
}

int hiding_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	mask_fn real = hiding_real()->pthread_sigmask;

	if (!hiding_is_on())
		return real(how, set, before);
	return masks_change(real, how, set, before);
}

/* Older calls: a signal, or the first 32 in an int. */

static int change_low(int how, uint64_t bits)
{
	sigset_t set, before;

	sigemptyset(&set);
	hiding_set_bits(&set, bits & LOW_SIGNALS);
	if (masks_change(hiding_real()->sigprocmask, how, &set, &before) != 0)
		return -1;
	return (int)hiding_bits(&before);
}

int hiding_sigblock(int mask)
{
	if (!hiding_is_on())
		return hiding_real()->sigblock(mask);
	return change_low(SIG_BLOCK, (unsigned)mask);
}

int hiding_sigsetmask(int mask)
{
	if (!hiding_is_on())
		return hiding_real()->sigsetmask(mask);
	return change_low(SIG_SETMASK, (unsigned)mask);
}

int hiding_siggetmask(void)
{
	if (!hiding_is_on())
		return hiding_real()->siggetmask();
	return change_low(SIG_BLOCK, 0);
}

static int change_one(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	if (sigaddset(&set, number) != 0)
		return -1;
	return masks_change(hiding_real()->sigprocmask, how, &set, NULL);
}

int hiding_sighold(int number)
{
	if (!hiding_is_on())
		return hiding_real()->sighold(number);
	return change_one(SIG_BLOCK, number);
}

int hiding_sigrelse(int number)
{
	if (!hiding_is_on())
		return hiding_real()->sigrelse(number);
	return change_one(SIG_UNBLOCK, number);
}

int hiding_sigpending(sigset_t *set)
{
	int result = hiding_real()->sigpending(set);

	if (hiding_is_on() && result == 0)
		hiding_set_bits(set, hiding_bits(set) & ~kymo_sample_signals());
	return result;
}

int hiding_signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t without;

	if (hiding_is_on() && set) {
		without = hiding_without(set);
		set = &without;
	}
	return hiding_real()->signalfd(fd, set, flags);
}
