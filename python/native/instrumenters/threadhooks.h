/* Threads that Python starts: their names and where they were started.
 *
 * While collecting, the interpreter's functions that start a thread are replaced by wrappers that
 * pass the creator's position to the new thread. */
#ifndef KYMO_THREADHOOKS_H
#define KYMO_THREADHOOKS_H

#include "collector.h"

void threadhooks_install(void);
void threadhooks_remove(void);
/* Set the names of existing threads, from threading's list. */
void threadhooks_name_all(void);

#endif
