/* Greenlets: several Python stacks on one thread, each shown as a fiber of its own.  Uses
 * greenlet.settrace(), which is per thread, and calls the previous callback. */
#ifndef KYMO_GREENLETS_H
#define KYMO_GREENLETS_H

#include "collector.h"

/* Called when code is decided: once the program has imported greenlet, follow the calling thread's
 * switches from then on. */
void greenlets_notice(void);
/* A thread begins. */
void greenlets_thread_start(void);

#endif
