/* Actions on signals: one of sampling's is left to the program that requests it, and the runs of
 * handlers of the others are counted. */
#include "collectors/signal_hiding/hiding_actions.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/keeperrno.h"
#include "collectors/signal_hiding/hiding_real.h"
#include "collectors/signal_hiding/hiding_masks.h"
#include "collectors/signal_hiding/signal_hiding.h"

/* Or was, until the program requested it. */
static bool actions_is_sampling(int number)
{
	return number > 0 && number <= 64 && kymo_signal_shared() >> (number - 1) & 1;
}

#define SIGNAL_COUNT 65

/* The program's handlers for which the kernel has count_handled() instead. atomic; by signal */
static hiding_handler handlers[SIGNAL_COUNT];

typedef void (*handler_fn)(int number, siginfo_t *info, void *context);

/* A tail call when optimised, so that the handler's frame is the kernel's.  The count shows a
 * restarted call that the signal which ended it was not only sampling's. */
static void count_handled(int number, siginfo_t *info, void *context)
{
	handler_fn handler;

	handler = (handler_fn)(void *)__atomic_load_n(&handlers[number], __ATOMIC_RELAXED);
	kymo_wait_current.handled++;
	handler(number, info, context);
}

#define COUNTED ((hiding_handler)(void *)count_handled)

static bool actions_is_function(hiding_handler handler)
{
	return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_HOLD &&
	       handler != SIG_ERR;
}

/* Store the program's handler: returns the previous one, and the one for the kernel. */
static hiding_handler actions_store(int number, hiding_handler handler, hiding_handler *kernels)
{
	if (number <= 0 || number >= SIGNAL_COUNT) {
		*kernels = handler;
		return SIG_DFL;
	}
	*kernels = actions_is_function(handler) ? COUNTED : handler;
	if (!actions_is_function(handler))
		return __atomic_load_n(&handlers[number], __ATOMIC_RELAXED);
	return __atomic_exchange_n(&handlers[number], handler, __ATOMIC_RELAXED);
}

static void actions_restore(int number, hiding_handler handler)
{
	if (number > 0 && number < SIGNAL_COUNT)
		__atomic_store_n(&handlers[number], handler, __ATOMIC_RELAXED);
}

/* The program's handlers are sampled too, except those on alternate stacks, where there may be
 * no space for a second signal: the kernel would kill the program. */
static uint64_t actions_mask_of(const struct sigaction *action)
{
	uint64_t bits = hiding_bits(&action->sa_mask) & ~kymo_sample_signals();

	return action->sa_flags & SA_ONSTACK ? bits | kymo_sample_signals() : bits;
}

static bool is_guard(hiding_handler handler)
{
	return handler != SIG_DFL && handler == kymo_signal_guard();
}

static int actions_act(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction changed = {.sa_handler = SIG_DFL};
	hiding_handler kept;
	int result;

	if (action)
		changed = *action;
	kept = actions_store(number, changed.sa_handler, &changed.sa_handler);
	hiding_set_bits(&changed.sa_mask, actions_mask_of(&changed));
	result = hiding_real()->sigaction(number, action ? &changed : NULL, before);
	if (result != 0)
		actions_restore(number, kept);
	if (result != 0 || !before)
		return result;
	if (is_guard(before->sa_handler))
		memset(before, 0, sizeof(*before));
	hiding_set_bits(&before->sa_mask, hiding_seen(hiding_bits(&before->sa_mask)));
	if (before->sa_handler == COUNTED)
		before->sa_handler = kept;
	return result;
}

/* One of the calls that take only a handler. */
static hiding_handler actions_set(hiding_handler (*real)(int number, hiding_handler handler),
				  int number, hiding_handler handler)
{
	hiding_handler kept, before;

	if (!hiding_is_on())
		return real(number, handler);
	kept = actions_store(number, handler, &handler);
	before = real(number, handler);
	if (before == SIG_ERR)
		actions_restore(number, kept);
	if (is_guard(before))
		return SIG_DFL;
	return before == COUNTED ? kept : before;
}

/* By the number of the system call. */

struct kernel_action {
	hiding_handler handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define KERNEL_MASK_BYTES 8

/* 0, or the error if the kernel cannot read it. */
static int try_to_copy(struct kernel_action *to, const struct kernel_action *from)
{
	struct iovec here = {to, sizeof(*to)}, there = {(void *)(uintptr_t)from, sizeof(*from)};
	KEEP_ERRNO();
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	if (got == (ssize_t)sizeof(*to))
		return 0;
	return got < 0 ? errno : EFAULT;
}

/* The program's pointer may be invalid, which the kernel reports as an error, without a fault. */
static bool copy_in(struct kernel_action *to, const struct kernel_action *from)
{
	int error = try_to_copy(to, from);

	if (error == EFAULT) {
		errno = error;
		return false;
	}
	if (error) /* the kernel does not have this call */
		*to = *from;
	return true;
}

static long kernel_act(int number, const struct kernel_action *action, struct kernel_action *before)
{
	struct kernel_action changed = {.handler = SIG_DFL};
	hiding_handler kept;
	long result;

	if (action)
		changed = *action;
	kept = actions_store(number, changed.handler, &changed.handler);
	changed.mask &= ~kymo_sample_signals();
	if (changed.flags & SA_ONSTACK)
		changed.mask |= kymo_sample_signals();
	result = hiding_real()->syscall(SYS_rt_sigaction, number, action ? &changed : NULL, before,
					KERNEL_MASK_BYTES);
	if (result != 0)
		actions_restore(number, kept);
	if (result != 0 || !before)
		return result;
	if (is_guard(before->handler))
		memset(before, 0, sizeof(*before));
	before->mask = hiding_seen(before->mask);
	if (before->handler == COUNTED)
		before->handler = kept;
	return result;
}

static void to_kernel(struct kernel_action *to, const struct sigaction *from)
{
	memset(to, 0, sizeof(*to));
	to->handler = from->sa_handler;
	to->flags = (unsigned long)from->sa_flags;
	to->restorer = from->sa_restorer;
	to->mask = hiding_bits(&from->sa_mask);
}

static void from_kernel(struct sigaction *to, const struct kernel_action *from)
{
	memset(to, 0, sizeof(*to));
	to->sa_handler = from->handler;
	to->sa_flags = (int)from->flags;
	to->sa_restorer = from->restorer;
	hiding_set_bits(&to->sa_mask, from->mask);
}

/* On a signal that sampling keeps: a program that resets all actions to the default, as process
 * launchers do, would be killed by the next sample. */
static long kernel_act_kept(int number, const struct kernel_action *action,
			    struct kernel_action *before)
{
	struct kernel_action copy = {.handler = SIG_DFL};
	struct sigaction wanted, seen;
	enum kymo_action done;

	/* Both may be the same; and the kernel reports invalid arguments. */
	if (action)
		copy = *action;
	if (before &&
	    hiding_real()->syscall(SYS_rt_sigaction, number, NULL, before, KERNEL_MASK_BYTES) != 0)
		return -1;
	from_kernel(&wanted, &copy);
	done = kymo_signal_action(number, action ? &wanted : NULL, &seen);
	if (done == KYMO_ACTION_REAL)
		return kernel_act(number, action, before);
	if (before)
		to_kernel(before, &seen);
	return done == KYMO_ACTION_SET ? kernel_act(number, &copy, NULL) : 0;
}

long hiding_kernel_action(const long arguments[6])
{
	int number = (int)arguments[0];
	const struct kernel_action *action = (const struct kernel_action *)arguments[1];
	struct kernel_action *before = (struct kernel_action *)arguments[2], copy;

	if (arguments[3] != KERNEL_MASK_BYTES)
		return hiding_real()->syscall(SYS_rt_sigaction, arguments[0], arguments[1],
					      arguments[2], arguments[3]);
	if (action && !copy_in(&copy, action))
		return -1;
	action = action ? &copy : NULL;
	return actions_is_sampling(number) ? kernel_act_kept(number, action, before)
					   : kernel_act(number, action, before);
}

int hiding_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction copy;

	if (!hiding_is_on())
		return hiding_real()->sigaction(number, action, before);
	if (kymo_likely(!actions_is_sampling(number)))
		return actions_act(number, action, before);
	if (action)
		copy = *action; /* both may be the same */
	switch (kymo_signal_action(number, action, before)) {
	case KYMO_ACTION_DONE:
		return 0;
	case KYMO_ACTION_SET:
		return actions_act(number, &copy, NULL);
	case KYMO_ACTION_REAL:
		break;
	}
	return actions_act(number, action, before);
}

/* signal() on a signal that sampling keeps. */
static hiding_handler set_kept(int number, hiding_handler handler, int flags)
{
	struct sigaction action, before;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, number);
	return hiding_sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

hiding_handler hiding_signal(int number, hiding_handler handler)
{
	if (handler == SIG_ERR || !actions_is_sampling(number))
		return actions_set(hiding_real()->signal, number, handler);
	return set_kept(number, handler, SA_RESTART);
}

hiding_handler hiding_sysv_signal(int number, hiding_handler handler)
{
	if (handler == SIG_ERR || !actions_is_sampling(number))
		return actions_set(hiding_real()->sysv_signal, number, handler);
	return set_kept(number, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

static void want(int number)
{
	if (actions_is_sampling(number))
		kymo_signal_want(UINT64_C(1) << (number - 1));
}

hiding_handler hiding_sigset(int number, hiding_handler handler)
{
	want(number);
	if (handler == SIG_ERR || handler == SIG_HOLD || !actions_is_sampling(number))
		return actions_set(hiding_real()->sigset, number, handler);
	return set_kept(number, handler, 0);
}

int hiding_sigignore(int number)
{
	if (!actions_is_sampling(number))
		return hiding_real()->sigignore(number);
	return set_kept(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* On one that is kept it would change sampling's handler. */
int hiding_siginterrupt(int number, int ends_calls)
{
	struct sigaction action;

	if (!actions_is_sampling(number))
		return hiding_real()->siginterrupt(number, ends_calls);
	if (hiding_sigaction(number, NULL, &action) != 0)
		return -1;
	action.sa_flags = ends_calls ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	return hiding_sigaction(number, &action, NULL);
}
