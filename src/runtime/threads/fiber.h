/* Fibers inside the runtime: kymo_fiber_get() and the others are in runtime.h.  A fiber's state is
 * the thread's that it runs on; ended ones are kept for the next, guarded by the store's lock. */
#ifndef KYMO_FIBER_H
#define KYMO_FIBER_H

/* Forget those of a recording that is gone: in a forked child, and where another one is made. */
void fibers_forget(void);

#endif
