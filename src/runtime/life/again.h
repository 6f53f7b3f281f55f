/* A process that is recorded again after its recording was closed: somebody attaches to it a
 * second time. */
#ifndef KYMO_AGAIN_H
#define KYMO_AGAIN_H

#include <stdbool.h>

/* Let go of what belongs to the recording before, and put the session back to its beginning.
 * Threads that were recorded get new states at their next event; the old recording stays
 * mapped, since they may be about to write into it. */
void again_begin(void);
/* The tables, with the ids that they had; instead of tables_init().  The lock is held. */
bool again_tables(void);
/* True between again_begin() and again_tables(). */
bool again_is_due(void);

#endif
