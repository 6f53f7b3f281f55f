/* COARSE and FULL: time between two records that is not the program's, written as a mark before the
 * second one (patch/apply/patchabi.h): pre-emption, or work of Kymo itself.
 *
 * The kernel is asked after a long time without a record.  Context: hook. */
#ifndef KYMO_FUNCPATCH_AWAY_H
#define KYMO_FUNCPATCH_AWAY_H

#include <stdint.h>

struct funcpatch_thread;

/* What comes from here on is known.  Context: thread. */
void funcpatch_away_begin(struct funcpatch_thread *self);
/* How many ticks of the time since the latest record others had the processor.  gone: how long that
 * is; 0 = not known.  Touches general registers alone. */
uint64_t funcpatch_away_look(struct funcpatch_thread *self, uint64_t gone);

#endif
