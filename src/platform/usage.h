/* The resource usage of a thread or process so far, from the kernel.  Context: any (system calls
 * only; errno is kept). */
#ifndef KYMO_USAGE_H
#define KYMO_USAGE_H

#include <stdint.h>
#include <time.h>

#include "platform/systemclock.h"

enum usage_memory { USAGE_VIRTUAL_BYTES, USAGE_RESIDENT_BYTES };
enum usage_io { USAGE_READ_CHAR, USAGE_WRITTEN_CHAR, USAGE_READ_BYTES, USAGE_WRITTEN_BYTES };

struct rusage;

/* A clock in nanoseconds, 0 if it is not readable. */
static inline uint64_t usage_clock_ns(clockid_t clock)
{
	return systemclock_ns(clock);
}

/* /proc/self/statm and /proc/self/io of the process; 0 if they are not readable. */
uint64_t usage_memory_bytes(enum usage_memory which);
uint64_t usage_io_bytes(enum usage_io which);

/* How long a thread of this process was ready without a processor since it began; 0 if the
 * kernel does not provide it. */
uint64_t usage_waited_ns(uint64_t thread);

/* CPU time of the calling thread, and of the processes it has created and waited for. */
uint64_t usage_own_ns(void);

/* Since the process began, also before an exec(); 0 if unknown. */
uint64_t usage_process_age_ns(void);

#endif
