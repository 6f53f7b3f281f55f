/* What recording a call costs, measured in the program itself. */
#ifndef KYMO_FUNCPATCH_COST_H
#define KYMO_FUNCPATCH_COST_H

#include <stdint.h>

/* What recording one call costs, picoseconds, calibrated when it is asked first; never 0.
 * Context: thread. */
uint64_t funcpatch_cost_ps(void);
/* Of these, between the two readings of the clock; 0 = not known, as with COUNTS. */
uint64_t funcpatch_inside_ps(void);
/* Note how the cost depends on what a function does.  Context: thread. */
void funcpatch_cost_note(void);

#endif
