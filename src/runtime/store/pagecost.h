/* The cost of the first write to a page of the recording: measured when chunks of events begin,
 * before that on unused pages. */
#ifndef KYMO_PAGECOST_H
#define KYMO_PAGECOST_H

#include <stdint.h>

/* A chunk of so many bytes was begun, which took a thread so much CPU time.  Context: any. */
void pagecost_add(uint64_t bytes, uint64_t cpu_ns);
/* Picoseconds of CPU time for each byte; 0 = too few bytes so far, and too few pages that are
 * reserved and unused.  Context: thread. */
uint64_t pagecost_byte_ps(void);

#endif
