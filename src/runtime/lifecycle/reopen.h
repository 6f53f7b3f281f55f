/* Recording a process again after its recording was closed: a second `kymo attach`. */
#ifndef KYMO_REOPEN_H
#define KYMO_REOPEN_H

#include <stdbool.h>

/* Release what belongs to the recording before, and reset the session.  Threads that were
 * recorded get new states at their next event; the old recording stays mapped, because they may
 * be about to write into it. */
void reopen_begin(void);
/* The tables, with their previous ids; instead of tables_init().  The lock is held. */
bool reopen_tables(void);
/* True between reopen_begin() and reopen_tables(). */
bool reopen_is_due(void);

#endif
