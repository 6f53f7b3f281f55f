/* The signals of sampling: the highest real-time ones that are free when the program starts, and
 * some spare ones, in case the program requests one of them later. */
#include "collectors/sampler/sampler_signals.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/signalmask.h"
#include "collectors/sampler/sampler_event.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_state.h"
#include "platform/rawcall.h"
#include "runtime/control/signalshare.h"

#define SPARES_MAX 2u
#define MASK_BYTES 8u /* of a signal mask, as in the kernel */

static int spare[SPARES_MAX]; /* 0 = none; guarded by the caller of sampler_signal_give() */

static uint64_t bit_of(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

static bool signals_is_free(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

static bool signals_is_taken(int signal)
{
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (sampler_plan.kind[i].signal == signal)
			return true;
	for (unsigned i = 0; i < SPARES_MAX; i++)
		if (spare[i] == signal)
			return true;
	return false;
}

int sampler_signal_choose(int wanted)
{
	if (wanted > 0)
		return wanted <= SIGRTMAX && !signals_is_taken(wanted) ? wanted : 0;
	for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--)
		if (!signals_is_taken(signal) && signals_is_free(signal))
			return signal;
	return 0;
}

static bool install(int signal, const struct sigaction *action)
{
	return signal && sigaction(signal, action, NULL) == 0;
}

static void go_on_after_loss(void)
{
	bool is_closed = __atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED);
	struct sampler_thread *self = sampler_self;
	KEEP_ERRNO();

	for (unsigned i = 0; self && !is_closed && i < SAMPLER_KINDS; i++) {
		if (self->timer[i].engine != SAMPLER_EVENT)
			continue;
		self->stream.lost++;
		sampler_event_rearm(self->timer[i].id, 0);
	}
}

/* Unlike a timer's, an event's signal needs an entry in the user's queue when it is sent (ulimit
 * -i); if that is full the kernel sends SIGIO, which kills programs that do not expect it. */
static void on_queue_full(int signal, siginfo_t *info, void *context)
{
	if (info->si_code <= 0) /* it was sent by a process */
		kymo_signal_foreign(signal, info, context);
	else
		go_on_after_loss();
}

static void guard_events(const struct sigaction *like)
{
	struct sigaction action = *like;
	bool has_events = false;

	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		has_events |=
			sampler_plan.kind[i].is_on && sampler_plan.kind[i].engine == SAMPLER_EVENT;
	action.sa_sigaction = on_queue_full;
	if (has_events && signals_is_free(SIGIO) && install(SIGIO, &action))
		kymo_signal_guard_set(on_queue_full);
}

bool sampler_signals_install(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	uint64_t signals = 0, held = signalmask_blocked();

	action.sa_sigaction = handler;
	/* Including those that the C library reserves: a cancelled thread would be unwound from
	 * within the handler. */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	memcpy(&action.sa_mask, &held, sizeof(held));
	for (unsigned i = 0; i < SAMPLER_KINDS; i++) {
		struct sampler_kind *kind = &sampler_plan.kind[i];

		kind->is_on = kind->is_on && install(kind->signal, &action);
		if (kind->is_on)
			signals |= bit_of(kind->signal);
	}
	if (!signals)
		return false;
	guard_events(&action);
	for (unsigned i = 0; i < SPARES_MAX; i++) {
		spare[i] = sampler_signal_choose(0);
		if (install(spare[i], &action))
			signals |= bit_of(spare[i]);
		else
			spare[i] = 0;
	}
	kymo_sample_signals_set(signals);
	return true;
}

/* By system call, because the function may be wrapped.  Ignoring a signal discards pending ones,
 * which would kill the program now. */
static void set_default(int signal)
{
	static const uint64_t none[8], ignored[8] = {(uint64_t)(uintptr_t)SIG_IGN};

	raw_call6(SYS_rt_sigaction, signal, (long)ignored, 0, MASK_BYTES, 0, 0);
	raw_call6(SYS_rt_sigaction, signal, (long)none, 0, MASK_BYTES, 0, 0);
}

static bool move_kind(struct sampler_kind *kind)
{
	for (unsigned i = 0; i < SPARES_MAX; i++) {
		if (!spare[i])
			continue;
		__atomic_store_n(&kind->signal, spare[i], __ATOMIC_RELAXED);
		spare[i] = 0;
		return true;
	}
	return false;
}

static bool signals_vacate(int signal)
{
	for (unsigned i = 0; i < SPARES_MAX; i++) {
		if (spare[i] != signal)
			continue;
		spare[i] = 0;
		return true;
	}
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (sampler_plan.kind[i].is_on && sampler_plan.kind[i].signal == signal)
			return move_kind(&sampler_plan.kind[i]);
	return false;
}

bool sampler_signal_give(int signal)
{
	if (!signals_vacate(signal))
		return false;
	kymo_sample_signals_set(kymo_sample_signals() & ~bit_of(signal));
	set_default(signal);
	return true;
}
