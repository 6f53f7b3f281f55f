/* The events of a thread, written by the thread itself. */
#ifndef KYMO_EVENTLOG_H
#define KYMO_EVENTLOG_H

#include "runtime/hot.h"

/* A record of two words, whatever its extension.  The thread has a record of its own. */
void eventlog_extended(struct kymo_thread *thread, enum kymo_event_extension extension,
		       uint64_t now, const uint64_t words[2]);

/* Every open region inside of keep (0 = all) is left here: collection stopped.  The lock
 * is held. */
void eventlog_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now);

/* The time of the latest event in the chunk at hand; 0 when there is none. */
uint64_t eventlog_latest(const struct kymo_thread *thread);

#endif
