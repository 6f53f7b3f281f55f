/* The part of the measured time that timing one call takes.  Implemented in the folder of each
 * processor. */
#ifndef KYMO_FUNCPATCH_EMPTY_H
#define KYMO_FUNCPATCH_EMPTY_H

#include <stdint.h>

/* Measured ticks of a timed call of an empty function.  Context: thread. */
uint64_t funcpatch_empty_ticks(void);

#endif
