/* Recording only while a user's region of one of the names in SELECTED_REGIONS is open in the
 * process, on any thread. */
#ifndef KYMO_SELECTED_H
#define KYMO_SELECTED_H

#include "runtime/runtime.h"

/* A bit for every region that has a selected name; NULL = none is selected. */
extern uint64_t *selected_regions;

/* Set the names, a list as in settings; owned by the caller, and must stay valid. */
void selected_configure(const char *names);
/* A region has been assigned its id.  The lock is held. */
void selected_learn(uint32_t region, const struct kymo_region_spec *spec);

/* The thread begins or ends region, entered or not; on return from begin the gate is up to date.
 * Requires selected_regions != NULL, and to be between acquire and release. */
void selected_begin(struct kymo_thread *thread, uint32_t region);
void selected_end(uint32_t region);
/* The regions on thread's stack of users' regions end with the thread.  The lock is held. */
void selected_drop(const struct kymo_thread *thread);

/* In the child of a fork: only the regions of the forking thread are open; NULL = no such
 * thread.  True if a selected one is. */
bool selected_fork(const struct kymo_thread *thread);

#endif
