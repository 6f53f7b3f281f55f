/* COARSE and FULL: time between two records that is not the program's, written as a mark before the
 * second one (patch/apply/patchabi.h): pre-emption, or work of Kymo itself.
 *
 * The kernel's counters are read after a long time without a record.  Context: hook. */
#ifndef KYMO_FUNCPATCH_AWAY_H
#define KYMO_FUNCPATCH_AWAY_H

#include <stdint.h>

struct funcpatch_thread;

/* Start measuring here.  Context: thread. */
void funcpatch_away_begin(struct funcpatch_thread *self);
/* Pre-empted ticks of the time since the latest record.  elapsed: how long that is; 0 = unknown.
 * Uses general registers only. */
uint64_t funcpatch_away_measure(struct funcpatch_thread *self, uint64_t elapsed);

#endif
