/* What timing one call takes of the time that is measured.  Each folder of a processor answers. */
#ifndef KYMO_FUNCPATCH_EMPTY_H
#define KYMO_FUNCPATCH_EMPTY_H

#include <stdint.h>

/* Ticks that are measured of a timed call of an empty function.  Context: thread. */
uint64_t funcpatch_empty_ticks(void);

#endif
