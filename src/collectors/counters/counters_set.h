/* The counters of one thread, which is the calling one: opened at its first reading.  A reading
 * that fails repeats the one before.  Context: thread, but for what says otherwise. */
#ifndef KYMO_COUNTERS_SET_H
#define KYMO_COUNTERS_SET_H

#include <stdint.h>

/* counter_count values.  Zeros where none can be read.  Context: any. */
void counters_set_read(uint64_t *values);
void counters_set_end(void);
/* In a forked child, before anything is read. */
void counters_set_forked(void);
/* Share of the time in which counters counted that had to take turns, in percent; 100 = all. */
double counters_running_percent(void);

#endif
