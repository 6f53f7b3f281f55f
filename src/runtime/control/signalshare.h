/* State shared by the sampling handler and the wrappers that hide its signals from the program.
 *
 * A wrapper that restarts an interrupted call must not lose a signal of the program that arrives
 * between the interruption and the restart: it would have ended the call.  While a wrapper
 * waits, the handler therefore returns with the program's signals blocked, and the wrapper
 * unblocks them in the restarted call, or after it. */
#ifndef KYMO_SIGNALSHARE_H
#define KYMO_SIGNALSHARE_H

#include <signal.h>

#include "runtime/control/sampling.h"

struct kymo_wait {	 /* of a thread */
	uintptr_t stack; /* in the frame of the waiting wrapper; 0 = none waits */
	uint32_t number; /* of the replaced system call, plus 1; 0 = not replaced */
	uint64_t mask;	 /* the mask before all signals were blocked */
	uint32_t is_blocked;
	uint32_t handled; /* number of handlers of the program that have begun */
};

extern __thread struct kymo_wait kymo_wait_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

/* A call's own frames are less than this below the wrapper's, another handler's are further
 * away: the kernel's signal frame is larger. */
#define KYMO_WAIT_DEPTH 1024u

/* The system call that the program made, if the current one, with that stack pointer, replaces
 * it; number otherwise.  Context: signal. */
static inline uint32_t kymo_wait_number(uintptr_t stack, uint32_t number)
{
	const struct kymo_wait *wait = &kymo_wait_current;

	if (wait->number == 0 || wait->stack - stack >= KYMO_WAIT_DEPTH)
		return number;
	return wait->number - 1;
}

struct kymo_handed {	 /* by a thread to the C library's syscall(), by its wrapper */
	uintptr_t stack; /* in the wrapper's frame; 0 = nothing */
	uint32_t number;
};

extern __thread struct kymo_handed kymo_handed_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

/* The number passed on by a wrapper a few frames above stack; otherwise if there is none.
 * Context: signal. */
static inline uint32_t kymo_handed_number(uintptr_t stack, uint32_t otherwise)
{
	const struct kymo_handed *handed = &kymo_handed_current;

	return handed->stack - stack < KYMO_WAIT_DEPTH ? handed->number : otherwise;
}

/* Thread cancellation and setting ids of all threads: the C library waits in the interrupted
 * thread, in the call that has just ended, until they have arrived. */
#define KYMO_C_LIBRARY_SIGNALS (UINT64_C(3) << (32 - 1))

/* Called at the end of every run of sampling's handler: the stack pointer that it interrupted,
 * the mask in its context, and whether it interrupted just after a system call, whatever that
 * call's result: a call that the kernel restarts has not got there, and a call that another
 * signal ended is followed by that signal's handler, which is counted.  Sampling's handler has
 * all signals in its mask, otherwise that handler might run on top of it.  Context: signal. */
static inline void kymo_wait_noticed(uintptr_t stack, uint64_t *mask, bool is_behind_call)
{
	struct kymo_wait *wait = &kymo_wait_current;

	if (is_behind_call && wait->stack - stack < KYMO_WAIT_DEPTH) {
		if (!wait->is_blocked)
			wait->mask = *mask;
		wait->is_blocked = 1;
		*mask = ~kymo_sample_signals() & (*mask | ~KYMO_C_LIBRARY_SIGNALS);
	} else if (wait->is_blocked && stack - wait->stack - 1 < UINTPTR_MAX / 2) {
		/* The wrapper was left by a jump: nothing else will unblock them. */
		*mask = wait->mask;
		wait->is_blocked = 0;
	}
}

/* When sampling's handler returns to a system call that the kernel restarts: true if a signal of
 * the program is pending that would have ended it.  The call then has to fail with EINTR.  mask
 * as above.  Context: signal. */
KYMO_EXPORT bool kymo_wait_is_over(uint64_t mask);

/* Signals that the program uses as well. */

/* Leave a signal to the program: sample with another one from now on, and return true; false:
 * there is none.  At most one; kept.  Context: init; it is called from any thread that is not in
 * sampling's handler. */
typedef bool (*kymo_yield_fn)(int signal);
KYMO_EXPORT void kymo_signal_yield_set(kymo_yield_fn yield);

/* The program names these signals (bits as kymo_sample_signals()) explicitly: those of sampling
 * are left to it if possible.  Context: any but sampling's handler. */
KYMO_EXPORT void kymo_signal_want(uint64_t signals);

/* Sampling's signals, and those left to the program for which it has not set an action yet. */
KYMO_EXPORT uint64_t kymo_signal_shared(void);

/* If SIGIO had the default action, sampling has set a handler for it that is hidden from the
 * program: the kernel sends it for an event's signal that does not fit its queue.  NULL: it has
 * not. */
KYMO_EXPORT void kymo_signal_guard_set(void (*handler)(int, siginfo_t *, void *));
KYMO_EXPORT void (*kymo_signal_guard(void))(int);

/* Before the process gives up system calls, or execs, after timers have been stopped: reset the
 * actions for sampling's signals, and discard pending ones in all threads; true if there were
 * any.  And restore them.  Context: thread. */
bool signals_withdraw(void);
void signals_return(void);

enum kymo_action {
	KYMO_ACTION_REAL, /* not one of sampling's signals: nothing was done */
	KYMO_ACTION_SET,  /* now the program's: before is filled, the caller does the rest */
	KYMO_ACTION_DONE, /* recorded; sampling's handler stays */
};
/* sigaction() of the program on a signal; action and before may be NULL.  Context: as above. */
KYMO_EXPORT enum kymo_action kymo_signal_action(int signal, const struct sigaction *action,
						struct sigaction *before);

/* Sampling's handler got a signal that was sent by another source: performs the program's action
 * for it.  Context: signal, the caller returns at once. */
KYMO_EXPORT void kymo_signal_foreign(int signal, siginfo_t *info, void *context);

/* True if all real-time signals except sampling's are in the mask.  Then the program blocks
 * sampling's as well: if it had named one of them, that would have been left to it. */
static inline bool kymo_signal_is_all(uint64_t mask)
{
	/* From 34 on: the C library reserves the two below. */
	uint64_t realtime = ~UINT64_C(0) << 33 & ~kymo_sample_signals();

	return (mask & realtime) == realtime;
}

#endif
