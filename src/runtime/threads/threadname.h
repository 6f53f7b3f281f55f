/* Names of threads that no wrapper saw being set: read from the kernel.
 * The store's lock is held. */
#ifndef KYMO_THREADNAME_H
#define KYMO_THREADNAME_H

struct kymo_thread;

/* Remember the name that threads have of their own accord: the program's.  Context: init. */
void threadname_init(void);
/* Give the calling thread the name it has in the kernel, unless it has one or that is the
 * program's. */
void threadname_inherit(struct kymo_thread *thread);
/* The same for a thread that runs on. */
void threadname_look_up(struct kymo_thread *thread);

#endif
