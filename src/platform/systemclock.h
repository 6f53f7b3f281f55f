/* The system's clocks, read without interposition: libraries that fake the time replace the C
 * library's functions, and Kymo needs the true one.  As fast as the C library: by the vDSO, else
 * by a system call.  Keeps errno and is not a cancellation point.  Context: any. */
#ifndef KYMO_SYSTEMCLOCK_H
#define KYMO_SYSTEMCLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* True if reading the machine's clock (not CPU time) takes no system call: that depends on
 * Linux's clock source, which the vDSO must be able to read.  Context: thread. */
bool systemclock_is_free(void);
bool systemclock_source_is_free(const char *source);

/* As clock_gettime(); false and *now zero if the system has no such clock. */
bool systemclock_read(clockid_t clock, struct timespec *now);

/* The same in nanoseconds; 0 if there is no such clock. */
uint64_t systemclock_ns(clockid_t clock);

/* As time(). */
time_t systemclock_seconds(void);

/* As nanosleep() and clock_nanosleep() of an absolute time; a signal ends them early. */
void systemclock_sleep(const struct timespec *length);
void systemclock_sleep_until(clockid_t clock, const struct timespec *when);

/* The clock's resolution, ns; 0 if there is no such clock. */
uint64_t systemclock_step_ns(clockid_t clock);

#endif
