/* The events of a thread, written by the thread itself. */
#ifndef KYMO_EVENTLOG_H
#define KYMO_EVENTLOG_H

#include "runtime/hot.h"

/* Every open region inside of keep (0 = all) is left here: collection stopped.  The lock
 * is held. */
void eventlog_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now);

#endif
