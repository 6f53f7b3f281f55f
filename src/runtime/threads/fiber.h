/* Fibers inside the runtime: kymo_fiber_get() and the others are in runtime.h.  A fiber's state
 * belongs to the thread that it runs on; ended ones are kept for reuse, guarded by the store's
 * lock. */
#ifndef KYMO_FIBER_H
#define KYMO_FIBER_H

/* Drop those of a closed recording: in a forked child, and if another one is made. */
void fibers_forget(void);

#endif
