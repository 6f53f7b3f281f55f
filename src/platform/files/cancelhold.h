/* Not being cancelled for a while: a thread that is cancelled takes a lock with it.
 *
 * In a handler on a stack of its own nothing is to be done, and nothing may be: the C library's
 * signal of cancellation is blocked there, but who allows cancelling again is cancelled at
 * once, on that stack.  So nothing there may be a cancellation point: see nocancel_io.h.
 * Context: any. */
#ifndef KYMO_CANCELHOLD_H
#define KYMO_CANCELHOLD_H

#include <pthread.h>

#include "platform/stackmark.h"

#define CANCEL_UNTOUCHED (-1)

/* What cancel_release() gets back. */
static inline int cancel_hold(void)
{
	int state = CANCEL_UNTOUCHED;

	if (!stack_is_elsewhere())
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void cancel_release(int state)
{
	if (state != CANCEL_UNTOUCHED)
		pthread_setcancelstate(state, NULL);
}

#endif
