/* System calls that end with EINTR when a tracer stops the thread that waits in them, although
 * no signal handler ran.  Context: any. */
#ifndef KYMO_STOPPEDCALL_H
#define KYMO_STOPPEDCALL_H

#include <stdbool.h>
#include <stdint.h>

/* True if the call can be restarted as if it began now, because it has done nothing yet.  False
 * also for those that a stop does not end, and for connect(), which would not be the same a
 * second time. */
bool stoppedcall_can_repeat(int64_t call);

#endif
