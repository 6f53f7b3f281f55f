/* The cost of counting a call.  Implemented in the folder of each processor.  Context: thread. */
#ifndef KYMO_FUNCPATCH_COUNTED_H
#define KYMO_FUNCPATCH_COUNTED_H

#include <stdint.h>

/* The cost of counting a call of a throttled function (funcpatch_throttle.h), picoseconds; 0 =
 * unknown. */
uint64_t funcpatch_counted_ps(void);
/* And, with COUNTS, of any other call that is not timed. */
uint64_t funcpatch_counting_ps(void);

#endif
