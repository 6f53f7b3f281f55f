/* Names of threads that were set without a wrapper: read from the kernel.  The store's lock is
 * held. */
#ifndef KYMO_THREADNAME_H
#define KYMO_THREADNAME_H

struct kymo_thread;

/* Remember the default name of threads: the program's.  Context: init. */
void threadname_init(void);
/* Give the calling thread its name from the kernel, unless it has one or that is the program's. */
void threadname_inherit(struct kymo_thread *thread);
/* The same for another thread that is still running. */
void threadname_look_up(struct kymo_thread *thread);

#endif
