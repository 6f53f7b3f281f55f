/* Calls that are restarted after sampling has interrupted them, and their remaining time.  errno
 * is the wrapped function's.  Context: any. */
#ifndef KYMO_HIDING_RESTART_H
#define KYMO_HIDING_RESTART_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/control/signalshare.h"
#include "runtime/hot.h"

struct hiding_call {	      /* one that waits, including all its restarts */
	uintptr_t outer;      /* kymo_wait.stack before */
	uint64_t mask;	      /* the program's mask; valid if is_blocked */
	uint32_t number;      /* as kymo_wait.number */
	uint32_t handled;     /* kymo_wait.handled before */
	bool is_blocked;      /* the program's signals are blocked until hiding_release() */
	bool was_interrupted; /* sampling interrupted just after the last call */
};

#define HIDING_CALL                                                                                \
	{                                                                                          \
		.handled = kymo_wait_current.handled, .is_blocked = false                          \
	}

/* No handler of the program has run since. */
static inline bool hiding_is_alone(const struct hiding_call *call)
{
	return call->handled == __atomic_load_n(&kymo_wait_current.handled, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void hiding_call_begin(struct hiding_call *call,
								    void *frame)
{
	call->outer = kymo_wait_current.stack;
	__atomic_store_n(&kymo_wait_current.number, call->number, __ATOMIC_RELAXED);
	__atomic_store_n(&kymo_wait_current.stack, (uintptr_t)frame, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The state is read before the frame is removed: otherwise sampling would take it for one that
 * was left by a jump. */
static inline __attribute__((always_inline)) void hiding_call_end(struct hiding_call *call)
{
	struct kymo_wait *wait = &kymo_wait_current;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	call->was_interrupted = __atomic_load_n(&wait->is_blocked, __ATOMIC_RELAXED) != 0;
	if (kymo_unlikely(call->was_interrupted)) {
		if (!call->is_blocked)
			call->mask = wait->mask;
		call->is_blocked = true;
		__atomic_store_n(&wait->is_blocked, 0, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&wait->stack, call->outer, __ATOMIC_RELAXED);
}

/* One system call that may wait, between begin and end. */
#define HIDING_WAIT(call, statement)                                                               \
	do {                                                                                       \
		hiding_call_begin(call, __builtin_frame_address(0));                               \
		statement;                                                                         \
		hiding_call_end(call);                                                             \
	} while (0)

/* Also a cleanup handler. */
void hiding_release(void *call);

bool hiding_repeats_slow(struct hiding_call *call, bool is_ended);

/* After a call without a mask of its own: true if it has to be restarted, because only sampling
 * has ended it (is_ended, by its result).  Unblocks the program's signals; one that arrives
 * between that and the new call is detected when sampling ends that one. */
static inline bool hiding_repeats(struct hiding_call *call, bool is_ended)
{
	return kymo_unlikely(call->is_blocked) && hiding_repeats_slow(call, is_ended);
}

/* Repeat a call that has ended because of sampling, with a mask: the program's own, or NULL for
 * its current one, so that blocked signals can only be delivered while it waits. number is that
 * of the system call that this replaces: samples have it, whatever is called. once() makes the
 * call once and returns its result, with errno; HIDING_MORE is no result. */
typedef int (*hiding_once_fn)(const void *what, const sigset_t *mask);
int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask);
#define HIDING_MORE (-2)

/* After the first call, which returned result: that is returned, or the call is repeated as
 * above. */
static inline int hiding_finish(struct hiding_call *call, int result, long number,
				hiding_once_fn once, const void *what, const sigset_t *mask)
{
	if (kymo_likely(!call->was_interrupted))
		return result;
	if (result < 0 && errno == EINTR && hiding_is_alone(call))
		return hiding_continue(call, number, once, what, mask);
	hiding_release(call);
	return result;
}

#define HIDING_FOREVER INT64_MAX

/* Current time on the clock that waits use. */
int64_t hiding_now_ns(clockid_t clock);
/* When a wait of that length ends; NULL = never. */
int64_t hiding_deadline(clockid_t clock, const struct timespec *length);
/* The remaining time: NULL if there is no limit, never below 0. */
struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest);

#endif
