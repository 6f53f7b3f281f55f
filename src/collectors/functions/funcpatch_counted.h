/* What counting a call costs.  Each folder of a processor answers.  Context: thread. */
#ifndef KYMO_FUNCPATCH_COUNTED_H
#define KYMO_FUNCPATCH_COUNTED_H

#include <stdint.h>

/* What it costs to count a call of a throttled function (funcpatch_throttle.h), picoseconds; 0 =
 * not known. */
uint64_t funcpatch_counted_ps(void);
/* And, with COUNTS, a call of any other that is not timed. */
uint64_t funcpatch_counting_ps(void);

#endif
