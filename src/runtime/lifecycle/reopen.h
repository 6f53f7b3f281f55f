/* Recording a process again after its recording was closed: `kymo attach` for the second time. */
#ifndef KYMO_REOPEN_H
#define KYMO_REOPEN_H

#include <stdbool.h>

/* Let go of what belongs to the recording before, and put the session back to its beginning.
 * Threads that were recorded get new states at their next event; the old recording stays
 * mapped, since they may be about to write into it. */
void reopen_begin(void);
/* The tables, with the ids that they had; instead of tables_init().  The lock is held. */
bool reopen_tables(void);
/* True between reopen_begin() and reopen_tables(). */
bool reopen_is_due(void);

#endif
