/* Recording only while a user's region of one of the names in SELECTED_REGIONS is open in the
 * process, on any thread. */
#ifndef KYMO_SELECTED_H
#define KYMO_SELECTED_H

#include "runtime/runtime.h"

/* A bit for every region that has a selected name; NULL where none is selected. */
extern uint64_t *selected_regions;

/* Take over the names, a list as settings have it; it stays the caller's, and must last. */
void selected_configure(const char *names);
/* A region has got its id.  The lock is held. */
void selected_learn(uint32_t region, const struct kymo_region_spec *spec);

/* The thread begins or ends region, entered or not; after the begin recording is as it has to
 * be.  To be called where selected_regions is not NULL, between take and give. */
void selected_begin(struct kymo_thread *thread, uint32_t region);
void selected_end(uint32_t region);
/* The regions on thread's stack of users' regions end with it.  The lock is held. */
void selected_drop(const struct kymo_thread *thread);

/* In the child of a fork only the regions of the forking thread are open, of which there may
 * be none: NULL.  True when one of those selected is. */
bool selected_fork(const struct kymo_thread *thread);

#endif
