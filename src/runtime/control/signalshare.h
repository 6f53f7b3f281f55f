/* State shared by the sampling handler and the wrappers that hide its signals from the program.
 *
 * A wrapper that restarts an interrupted call must not lose a signal of the program that arrives
 * between the interruption and the restart: it would have ended the call.  While a wrapper waits,
 * the handler therefore returns with the program's signals blocked, and the wrapper unblocks them
 * in the restarted call, or after it. */
#ifndef KYMO_SIGNALSHARE_H
#define KYMO_SIGNALSHARE_H

#include <signal.h>

#include "runtime/control/sampling.h"

struct kymo_wait {	 /* of a thread */
	uintptr_t stack; /* in the frame of the wrapper that waits; 0 = none does */
	uint32_t number; /* of the system call that it makes another one for, and 1; 0 = it does not
			  */
	uint64_t mask;	 /* what was blocked before everything was held back */
	uint32_t is_held;
	uint32_t handled; /* how often a handler of the program's has begun */
};

extern __thread struct kymo_wait kymo_wait_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

/* A call's own frames are below the wrapper's by less than this, another handler's by more:
 * the kernel's frame for it is larger. */
#define KYMO_WAIT_DEPTH 1024u

/* The system call that the program has made, when the one that it is in, with that stack pointer,
 * is made in its stead; number otherwise.  Context: signal. */
static inline uint32_t kymo_wait_number(uintptr_t stack, uint32_t number)
{
	const struct kymo_wait *wait = &kymo_wait_current;

	if (wait->number == 0 || wait->stack - stack >= KYMO_WAIT_DEPTH)
		return number;
	return wait->number - 1;
}

struct kymo_handed {	 /* by a thread to the C library's syscall(), by the wrapper of that */
	uintptr_t stack; /* in the wrapper's frame; 0 = nothing */
	uint32_t number;
};

extern __thread struct kymo_handed kymo_handed_current
	__attribute__((tls_model("initial-exec"), visibility("default")));

/* The number that was handed on by who is a few frames above stack; otherwise: nobody is.
 * Context: signal. */
static inline uint32_t kymo_handed_number(uintptr_t stack, uint32_t otherwise)
{
	const struct kymo_handed *handed = &kymo_handed_current;

	return handed->stack - stack < KYMO_WAIT_DEPTH ? handed->number : otherwise;
}

/* Cancelling a thread and setting ids of all threads: the C library waits in the interrupted
 * thread, in the call that has just ended, until they have come. */
#define KYMO_C_LIBRARY_SIGNALS (UINT64_C(3) << (32 - 1))

/* Every time sampling's handler runs, at its end: the stack pointer that it interrupted, the mask
 * in its context, and whether it came right behind a system call, whatever that call's result: one
 * that is begun again by the kernel has not got there, and one that another signal ended is
 * followed by that one's handler, which is counted.  Sampling's handler has all signals in its
 * mask, or that other one might run on top of it.  Context: signal. */
static inline void kymo_wait_noticed(uintptr_t stack, uint64_t *mask, bool is_behind_call)
{
	struct kymo_wait *wait = &kymo_wait_current;

	if (is_behind_call && wait->stack - stack < KYMO_WAIT_DEPTH) {
		if (!wait->is_held)
			wait->mask = *mask;
		wait->is_held = 1;
		*mask = ~kymo_sample_signals() & (*mask | ~KYMO_C_LIBRARY_SIGNALS);
	} else if (wait->is_held && stack - wait->stack - 1 < UINTPTR_MAX / 2) {
		/* The wrapper was left by a jump: nobody else will let them through. */
		*mask = wait->mask;
		wait->is_held = 0;
	}
}

/* When sampling's handler returns to a system call that the kernel begins again: true where
 * a signal of the program's has come meanwhile that would have ended it.  The call is to
 * give EINTR then.  mask as above.  Context: signal. */
KYMO_EXPORT bool kymo_wait_is_over(uint64_t mask);

/* Signals that are the program's as well. */

/* Leave a signal to the program: sample with another from now on, and return true; false:
 * there is none.  One at most; kept.  Context: init; it is called from any thread that is
 * not in sampling's handler. */
typedef bool (*kymo_yield_fn)(int signal);
KYMO_EXPORT void kymo_signal_yield_set(kymo_yield_fn yield);

/* The program means these signals (bits as kymo_sample_signals()) in particular: those of
 * sampling are given to it where that can be done.  Context: any but sampling's handler. */
KYMO_EXPORT void kymo_signal_want(uint64_t signals);

/* Those of sampling, and those given to the program of which it has not set the action yet. */
KYMO_EXPORT uint64_t kymo_signal_shared(void);

/* Where SIGIO had the default action sampling has set a handler for it, to which the program
 * is blind: the kernel sends it for an event's signal that finds no room.  NULL: it has not. */
KYMO_EXPORT void kymo_signal_guard_set(void (*handler)(int, siginfo_t *, void *));
KYMO_EXPORT void (*kymo_signal_guard(void))(int);

/* Before the process gives up system calls, or becomes another program, and timers have been
 * stopped: sampling's signals are as if it had never been, and what is on its way in any thread
 * is gone; true where there were some.  And back again.  Context: thread. */
bool signals_withdraw(void);
void signals_return(void);

enum kymo_action {
	KYMO_ACTION_REAL, /* the signal is none of sampling's: nothing was done */
	KYMO_ACTION_SET,  /* it is the program's now: before is filled, the rest is to be done */
	KYMO_ACTION_DONE, /* it is kept for sampling's handler */
};
/* sigaction() of the program's on a signal; action and before may be NULL.  Context: as
 * above. */
KYMO_EXPORT enum kymo_action kymo_signal_action(int signal, const struct sigaction *action,
						struct sigaction *before);

/* Sampling's handler got a signal that somebody else sent: does what the program's action for
 * it is.  Context: signal, the caller returns at once. */
KYMO_EXPORT void kymo_signal_foreign(int signal, siginfo_t *info, void *context);

/* True when all real-time signals but sampling's are in the mask.  Sampling's are then in the
 * program's as well: it has never named one of them alone, or it would have been given it. */
static inline bool kymo_signal_is_all(uint64_t mask)
{
	/* From 34 on: the C library keeps the two below. */
	uint64_t realtime = ~UINT64_C(0) << 33 & ~kymo_sample_signals();

	return (mask & realtime) == realtime;
}

#endif
