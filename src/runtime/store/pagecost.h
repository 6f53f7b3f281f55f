/* What a page of the recording costs when it is written to first: as far as chunks of events were
 * begun, what that took, else what it takes on pages that are not used yet. */
#ifndef KYMO_PAGECOST_H
#define KYMO_PAGECOST_H

#include <stdint.h>

/* A chunk of so many bytes was begun, which took a thread so much CPU time.  Context: any. */
void pagecost_add(uint64_t bytes, uint64_t cpu_ns);
/* Picoseconds of CPU time for each byte; 0 = too little was begun, and there are too few pages that
 * are reserved and not used yet.  Context: thread. */
uint64_t pagecost_byte_ps(void);

#endif
