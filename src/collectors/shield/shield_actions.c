/* Actions on signals: one of sampling's is given to the program that asks for it. */
#include "collectors/shield/shield.h"

static bool is_ours(int number)
{
	return number > 0 && number <= 64 && kymo_sample_signals() >> (number - 1) & 1;
}

/* The program's handlers are sampled too. */
static int act(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction changed;
	int result;

	if (action) {
		changed = *action;
		shield_set_bits(&changed.sa_mask,
				shield_bits(&action->sa_mask) & ~kymo_sample_signals());
		action = &changed;
	}
	result = shield_real()->sigaction(number, action, before);
	if (result == 0 && before)
		shield_set_bits(&before->sa_mask, shield_seen(shield_bits(&before->sa_mask)));
	return result;
}

int shield_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	if (!shield_is_on())
		return shield_real()->sigaction(number, action, before);
	if (is_ours(number) && kymo_signal_action(number, action, before))
		return 0;
	return act(number, action, before);
}

/* signal() on a signal that sampling keeps. */
static shield_handler set_kept(int number, shield_handler handler, int flags)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, number);
	return shield_sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

shield_handler shield_signal(int number, shield_handler handler)
{
	if (handler == SIG_ERR || !is_ours(number))
		return shield_real()->signal(number, handler);
	return set_kept(number, handler, SA_RESTART);
}

shield_handler shield_sysv_signal(int number, shield_handler handler)
{
	if (handler == SIG_ERR || !is_ours(number))
		return shield_real()->sysv_signal(number, handler);
	return set_kept(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

static void want(int number)
{
	if (is_ours(number))
		kymo_signal_want(UINT64_C(1) << (number - 1));
}

shield_handler shield_sigset(int number, shield_handler handler)
{
	want(number);
	if (handler == SIG_ERR || handler == SIG_HOLD || !is_ours(number))
		return shield_real()->sigset(number, handler);
	return set_kept(number, handler, 0);
}

int shield_sigignore(int number)
{
	if (!is_ours(number))
		return shield_real()->sigignore(number);
	return set_kept(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* On one that is kept it would change the handler that samples. */
int shield_siginterrupt(int number, int ends_calls)
{
	struct sigaction action;

	if (!is_ours(number))
		return shield_real()->siginterrupt(number, ends_calls);
	if (!kymo_signal_action(number, NULL, &action))
		return shield_real()->siginterrupt(number, ends_calls);
	action.sa_flags = ends_calls ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	return shield_sigaction(number, &action, NULL);
}
