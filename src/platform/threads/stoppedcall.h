/* System calls that end with EINTR when a tracer stops the thread that waits in them, though no
 * handler of a signal ran.  Context: any. */
#ifndef KYMO_STOPPEDCALL_H
#define KYMO_STOPPEDCALL_H

#include <stdbool.h>
#include <stdint.h>

/* Made again, the call is as if it had begun now: it has done nothing yet.  False of those that
 * are not ended by a stop, too, and of connect(), which would not be the same a second time. */
bool stoppedcall_can_repeat(int64_t call);

#endif
