/* What the kernel says a thread or process has used so far.  Context: any (system calls
 * only; errno is kept). */
#ifndef KYMO_USAGE_H
#define KYMO_USAGE_H

#include <stdint.h>
#include <time.h>

#include "platform/systemclock.h"

enum usage_memory { USAGE_VIRTUAL_BYTES, USAGE_RESIDENT_BYTES };
enum usage_io { USAGE_READ_CHAR, USAGE_WRITTEN_CHAR, USAGE_READ_BYTES, USAGE_WRITTEN_BYTES };

struct rusage;

/* A clock in nanoseconds, 0 when it cannot be read. */
static inline uint64_t usage_clock_ns(clockid_t clock)
{
	return systemclock_ns(clock);
}

/* /proc/self/statm and /proc/self/io of the process; 0 where they cannot be read. */
uint64_t usage_memory_bytes(enum usage_memory which);
uint64_t usage_io_bytes(enum usage_io which);

/* A thread of this process was ready and did not run, as others had the processor: so long since
 * it began; 0 where the kernel does not say. */
uint64_t usage_waited_ns(uint64_t thread);

/* CPU time of the calling thread, and of the processes it has made and waited for. */
uint64_t usage_own_ns(void);

/* Since the process began, also before an exec(); 0 when it cannot be told. */
uint64_t usage_process_age_ns(void);

#endif
