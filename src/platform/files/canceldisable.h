/* Disabling thread cancellation for a while: a thread that is cancelled never releases its locks.
 *
 * Do not use this in a handler on an alternate stack: the C library's cancellation signal is
 * blocked there, and enabling cancellation again would cancel the thread at once, on that stack. So
 * nothing there may be a cancellation point: see nocancel_io.h. Context: any. */
#ifndef KYMO_CANCELDISABLE_H
#define KYMO_CANCELDISABLE_H

#include <pthread.h>

#include "platform/stackmark.h"

#define CANCEL_UNTOUCHED (-1)

/* Returns the argument for cancel_restore(). */
static inline int cancel_disable(void)
{
	int state = CANCEL_UNTOUCHED;

	if (!stack_is_elsewhere())
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void cancel_restore(int state)
{
	if (state != CANCEL_UNTOUCHED)
		pthread_setcancelstate(state, NULL);
}

#endif
