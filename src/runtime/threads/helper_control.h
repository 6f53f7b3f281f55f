/* Helpers from inside the runtime.  The store's lock is not held. */
#ifndef KYMO_HELPER_CONTROL_H
#define KYMO_HELPER_CONTROL_H

#include <stdbool.h>

/* On a new thread of the runtime's own, first: as kymo_helper_enter(), but for the descriptors,
 * which are the program's. */
void helper_become(void);

void helpers_stop(void);
/* Likewise, and wait until the kernel no longer counts their threads. */
void helpers_join(void);
/* After helpers_stop(), or in a forked child whose recording is complete. */
void helpers_begin(bool is_forked);
/* In a forked child whose recording was made in a signal handler, where no thread can be
 * created: start them with the next helpers_catch_up(), at the latest when the recording ends. */
void helpers_begin_later(void);
void helpers_catch_up(void);
/* This process is about to end: start no helpers for a recording that is made now. */
void helpers_disable(void);

#endif
