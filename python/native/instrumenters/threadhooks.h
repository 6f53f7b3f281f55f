/* Threads that Python starts: their names and where they were started.
 *
 * While collecting, the interpreter's functions that start a thread are hooked by ones that leave a
 * ticket of the creator's position for the new thread. */
#ifndef KYMO_THREADHOOKS_H
#define KYMO_THREADHOOKS_H

#include "collector.h"

void threadhooks_install(void);
void threadhooks_remove(void);
/* Names of the threads that were there before, from threading's list. */
void threadhooks_name_all(void);

#endif
