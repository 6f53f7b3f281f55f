/* What a page of the recording costs when it is written to first. */
#ifndef KYMO_PAGECOST_H
#define KYMO_PAGECOST_H

#include <stdint.h>

/* Picoseconds of CPU time for each byte, measured here and now on pages that are reserved and not
 * used yet; 0 = there are too few.  Context: thread. */
uint64_t pagecost_byte_ps(void);

#endif
