/* Greenlets: several Python stacks on one thread, each shown as a fiber of its own.
 * Works through greenlet.settrace(), which is per thread and chained to what was there. */
#ifndef KYMO_GREENLETS_H
#define KYMO_GREENLETS_H

#include "collector.h"

/* Called where code is decided on: once the program has imported greenlet, follow the
 * calling thread's switches from there on. */
void greenlets_notice(void);
/* A thread begins. */
void greenlets_thread_start(void);

#endif
