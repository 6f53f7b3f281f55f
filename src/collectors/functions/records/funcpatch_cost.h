/* The cost of recording a call, measured in the program itself. */
#ifndef KYMO_FUNCPATCH_COST_H
#define KYMO_FUNCPATCH_COST_H

#include <stdint.h>

/* Cost of recording one call, picoseconds, calibrated at the first call; never 0.  Context:
 * thread. */
uint64_t funcpatch_cost_ps(void);
/* The part between the two readings of the clock; 0 = unknown, as with COUNTS. */
uint64_t funcpatch_inside_ps(void);
/* Note how the cost depends on what a function does.  Context: thread. */
void funcpatch_cost_note(void);

#endif
