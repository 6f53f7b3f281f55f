/* The helper that samples where threads are (positions.h): one thread of the process, while it
 * records with KYMO_MODE_POSITIONS.
 *
 * It is no thread of the program's: it is not recorded, blocks all signals, and its CPU time is
 * stated as Kymo's.  Looks are a millisecond apart on average, at random, so that no program runs
 * in step with them, and further apart where there are so many threads that looking would take
 * long. */
#ifndef KYMO_POSITIONS_HELPER_H
#define KYMO_POSITIONS_HELPER_H

#include <stdbool.h>

/* Begin to sample, from here on in every process that is forked from this one, too.  False: no
 * thread can be made here.  The store's lock is not held.  Context: init. */
bool positions_helper_open(void);

#endif
