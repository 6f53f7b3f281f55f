/* Kymo's own CPU time in this process, other than for calls and samples: at the start, at the end,
 * and of its helper threads.  It is stored in the recording's header.
 *
 * Measured on the calling thread; child processes that it waits for are included. */
#ifndef KYMO_OWNCOST_H
#define KYMO_OWNCOST_H

#include <stdint.h>

/* The runtime is being opened.  began_ns: usage_own_ns() of this thread when Kymo's start began;
 * 0 = now.  Context: init. */
void owncost_open(uint64_t began_ns);
/* Kymo's time before the first instruction of the runtime, as given to kymo_cost_early() and
 * owncost_open(): nanoseconds.  Context: init. */
uint64_t owncost_before_ns(void);
/* The program continues.  Context: init. */
void owncost_ready(void);
/* The recording is about to be closed; ignored after kymo_cost_ending(). */
void owncost_end(void);
/* Write what the end took into the header.  Context: init. */
void owncost_close(void);

#endif
