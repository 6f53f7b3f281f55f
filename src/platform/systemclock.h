/* The system's clocks, read without interposition: libraries that fake the time replace the C
 * library's functions, and Kymo needs the true one.  As fast as the C library: by the vDSO, else by
 * a system call.  Does not touch errno and is not a cancellation point.  Context: any. */
#ifndef KYMO_SYSTEMCLOCK_H
#define KYMO_SYSTEMCLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* True when reading the clock of the machine, no CPU time, takes no system call: of Linux's sources
 * these are the ones that the kernel's code in the process can read.  Context: thread. */
bool systemclock_is_free(void);
bool systemclock_source_is_free(const char *source);

/* As clock_gettime(); false and *now zero where the system has no such clock. */
bool systemclock_read(clockid_t clock, struct timespec *now);

/* The same in nanoseconds; 0 where there is no such clock. */
uint64_t systemclock_ns(clockid_t clock);

/* As time(). */
time_t systemclock_seconds(void);

/* As nanosleep() and clock_nanosleep() of an absolute time; a signal ends them early. */
void systemclock_sleep(const struct timespec *length);
void systemclock_sleep_until(clockid_t clock, const struct timespec *when);

/* How finely the clock ticks, ns; 0 where there is no such clock. */
uint64_t systemclock_step_ns(clockid_t clock);

#endif
