/* Sharing signals between sampling and the program: which of them owns a signal, and what action
 * the program requested for one that sampling keeps.  Nothing here locks: an action is written
 * once, then published. */
#include "runtime/control/signalshare.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/rawcall.h"

#define SIGNAL_COUNT 64u
#define ACTION_COUNT 64u /* requests before a reader's copy is overwritten */
#define MASK_BYTES   8u	 /* of a signal mask, as in the kernel */

#define KERNEL_RESTORER 0x04000000ul /* flag: restorer is valid */

struct kernel_action { /* sigaction() itself is wrapped */
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer; /* not on every processor; then the mask is here */
	uint64_t mask;
};

__thread struct kymo_wait kymo_wait_current;
__thread struct kymo_handed kymo_handed_current;

static kymo_yield_fn yield_fn; /* atomic */
/* Signals for which sampling's handler is still the kernel's action, while the program sees
 * none. */
static uint64_t yielded; /* atomic; bits as kymo_sample_signals() */

static struct sigaction actions[ACTION_COUNT];
static uint32_t next_action;
static struct sigaction *requested[SIGNAL_COUNT]; /* atomic; by signal - 1, NULL = the default */

void kymo_signal_yield_set(kymo_yield_fn yield)
{
	__atomic_store_n(&yield_fn, yield, __ATOMIC_RELEASE);
}

void kymo_signal_want(uint64_t signals)
{
	kymo_yield_fn yield = __atomic_load_n(&yield_fn, __ATOMIC_ACQUIRE);

	signals &= kymo_sample_signals();
	for (; yield && signals; signals &= signals - 1)
		if (yield(__builtin_ctzll(signals) + 1))
			__atomic_fetch_or(&yielded, signals & -signals, __ATOMIC_RELAXED);
}

uint64_t kymo_signal_shared(void)
{
	return kymo_sample_signals() | __atomic_load_n(&yielded, __ATOMIC_RELAXED);
}

static void (*guard)(int, siginfo_t *, void *); /* written before main() */

void kymo_signal_guard_set(void (*handler)(int, siginfo_t *, void *))
{
	guard = handler;
}

void (*kymo_signal_guard(void))(int)
{
	return (void (*)(int))(void *)guard;
}

static bool signalshare_is_in(uint64_t signals, int signal)
{
	return signal > 0 && (unsigned)signal <= SIGNAL_COUNT && signals >> (signal - 1) & 1;
}

static struct sigaction requested_action(int signal)
{
	const struct sigaction *action = __atomic_load_n(&requested[signal - 1], __ATOMIC_ACQUIRE);
	struct sigaction none;

	if (action)
		return *action;
	memset(&none, 0, sizeof(none));
	return none;
}

static void signalshare_ask(int signal, const struct sigaction *action)
{
	uint32_t slot = __atomic_fetch_add(&next_action, 1, __ATOMIC_RELAXED) % ACTION_COUNT;

	actions[slot] = *action;
	__atomic_store_n(&requested[signal - 1], &actions[slot], __ATOMIC_RELEASE);
}

enum kymo_action kymo_signal_action(int signal, const struct sigaction *action,
				    struct sigaction *before)
{
	struct sigaction new;

	if (!signalshare_is_in(kymo_signal_shared(), signal))
		return KYMO_ACTION_REAL;
	if (action) {
		new = *action; /* it may be where before points to */
		if (new.sa_handler != SIG_DFL)
			kymo_signal_want(UINT64_C(1) << (signal - 1));
	}
	if (before)
		*before = requested_action(signal);
	if (!action)
		return KYMO_ACTION_DONE;
	if (signalshare_is_in(kymo_sample_signals(), signal)) {
		signalshare_ask(signal, &new);
		return KYMO_ACTION_DONE;
	}
	__atomic_fetch_and(&yielded, ~(UINT64_C(1) << (signal - 1)), __ATOMIC_RELAXED);
	return KYMO_ACTION_SET;
}

static struct kernel_action saved[SIGNAL_COUNT]; /* sampling's actions, by signal - 1 */
static uint64_t withdrawn;			 /* bits as kymo_sample_signals() */
static bool is_guard_withdrawn;

static void signalshare_act(int signal, const struct kernel_action *action,
			    struct kernel_action *before)
{
	raw_call6(SYS_rt_sigaction, signal, (long)action, (long)before, MASK_BYTES, 0, 0);
}

/* Ignoring a signal discards the pending ones of all threads, which would end the program. */
static void signalshare_withdraw(int signal)
{
	static const struct kernel_action ignored = {.handler = (uintptr_t)SIG_IGN};
	struct kernel_action *own = &saved[signal - 1], wanted = {.handler = 0};
	struct sigaction action = requested_action(signal);

	signalshare_act(signal, &ignored, own);
	if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
		wanted.flags = (unsigned long)action.sa_flags | (own->flags & KERNEL_RESTORER);
		wanted.restorer = own->restorer;
		memcpy(&wanted.mask, &action.sa_mask, sizeof(wanted.mask));
	}
	wanted.handler = (uintptr_t)action.sa_handler;
	signalshare_act(signal, &wanted, NULL);
}

bool signals_withdraw(void)
{
	static const struct kernel_action none;
	struct kernel_action now = {.handler = 0};

	withdrawn = kymo_sample_signals();
	kymo_sample_signals_set(0);
	for (uint64_t rest = withdrawn; rest; rest &= rest - 1)
		signalshare_withdraw(__builtin_ctzll(rest) + 1);
	if (guard)
		signalshare_act(SIGIO, NULL, &now);
	is_guard_withdrawn = guard && now.handler == (uintptr_t)guard;
	if (is_guard_withdrawn) {
		saved[SIGIO - 1] = now;
		signalshare_act(SIGIO, &none, NULL);
	}
	return withdrawn != 0;
}

void signals_return(void)
{
	for (uint64_t rest = withdrawn; rest; rest &= rest - 1)
		signalshare_act(__builtin_ctzll(rest) + 1, &saved[__builtin_ctzll(rest)], NULL);
	if (is_guard_withdrawn)
		signalshare_act(SIGIO, &saved[SIGIO - 1], NULL);
	is_guard_withdrawn = false;
	if (withdrawn)
		kymo_sample_signals_set(withdrawn);
	withdrawn = 0;
}

/* An ignored signal interrupts no call. */
static bool is_ending(int signal)
{
	struct kernel_action action;

	if (syscall(SYS_rt_sigaction, signal, NULL, &action, MASK_BYTES) != 0)
		return false;
	return action.handler != (uintptr_t)SIG_DFL && action.handler != (uintptr_t)SIG_IGN &&
	       !(action.flags & SA_RESTART);
}

bool kymo_wait_is_over(uint64_t mask)
{
	uint64_t pending;

	if (syscall(SYS_rt_sigpending, &pending, MASK_BYTES) != 0)
		return false;
	for (pending &= ~mask & ~kymo_sample_signals(); pending; pending &= pending - 1)
		if (is_ending(__builtin_ctzll(pending) + 1))
			return true;
	return false;
}

static uint64_t *signalshare_mask_of(void *context)
{
	return (uint64_t *)(void *)&((ucontext_t *)context)->uc_sigmask;
}

/* The signal is sent again, and ends the process when the handler has returned. */
static void die(int signal, siginfo_t *info)
{
	struct kernel_action none = {.handler = 0};

	/* The wrapped function would record it as the program's request. */
	raw_call6(SYS_rt_sigaction, signal, (long)&none, 0, MASK_BYTES, 0, 0);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), signal, info);
}

static void signalshare_call(const struct sigaction *action, int signal, siginfo_t *info,
			     void *context)
{
	uint64_t mask = *signalshare_mask_of(context), more;

	memcpy(&more, &action->sa_mask, sizeof(more));
	mask |= more;
	if (!(action->sa_flags & SA_NODEFER))
		mask |= UINT64_C(1) << (signal - 1);
	kymo_wait_current.handled++;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, MASK_BYTES);
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(signal, info, context);
	else
		action->sa_handler(signal);
}

void kymo_signal_foreign(int signal, siginfo_t *info, void *context)
{
	struct sigaction action = requested_action(signal), none;

	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN)
		return;
	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
		/* If the program blocks all signals, this one would not have been delivered. */
		if (!kymo_signal_is_all(*signalshare_mask_of(context)))
			die(signal, info);
		return;
	}
	if (action.sa_flags & SA_RESETHAND) {
		memset(&none, 0, sizeof(none));
		signalshare_ask(signal, &none);
	}
	signalshare_call(&action, signal, info, context);
}
