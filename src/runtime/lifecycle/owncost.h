/* CPU time of this process that is Kymo's own, beside that of calls and samples: at the beginning,
 * at the end, and of threads of Kymo's.  It is kept in the recording's header.
 *
 * What begins or ends is the calling thread; processes that it makes and waits for count with it.
 */
#ifndef KYMO_OWNCOST_H
#define KYMO_OWNCOST_H

#include <stdint.h>

/* The runtime is being opened.  began_ns: usage_own_ns() of this thread when what leads to it
 * began; 0 = now.  Context: init. */
void owncost_open(uint64_t began_ns);
/* What was Kymo's before the first instruction of the runtime, as kymo_cost_early() and
 * owncost_open() were told: nanoseconds.  Context: init. */
uint64_t owncost_before_ns(void);
/* The program goes on.  Context: init. */
void owncost_ready(void);
/* The recording is about to be closed, unless kymo_cost_ending() was told earlier. */
void owncost_end(void);
/* The header gets what the end took.  Context: init. */
void owncost_close(void);

#endif
