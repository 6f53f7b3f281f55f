/* The counters of the calling thread: opened at the first reading.  A reading that fails repeats
 * the previous one.  Context: thread, unless stated otherwise. */
#ifndef KYMO_COUNTERS_SET_H
#define KYMO_COUNTERS_SET_H

#include <stdint.h>

/* counter_count values; 0 for those that cannot be read.  Context: any. */
void counters_set_read(uint64_t *values);
void counters_set_end(void);
/* In a forked child, before anything is read. */
void counters_set_forked(void);
/* Share of the time in which multiplexed counters ran, in percent; 100 = all. */
double counters_running_percent(void);

#endif
