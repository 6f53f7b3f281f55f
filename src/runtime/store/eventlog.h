/* The events of a thread, written by the thread itself. */
#ifndef KYMO_EVENTLOG_H
#define KYMO_EVENTLOG_H

#include "runtime/hot.h"

/* A record of two words, for any extension.  The thread has a record of its own. */
void eventlog_extended(struct kymo_thread *thread, enum kymo_event_extension extension,
		       uint64_t now, const uint64_t words[2]);

/* End every open region inside of keep (0 = all): collection stopped.  The lock is held. */
void eventlog_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now);

/* The time of the latest event in the current chunk; 0 if there is none. */
uint64_t eventlog_latest(const struct kymo_thread *thread);

#endif
