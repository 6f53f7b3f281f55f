/* Sleeping.  A sleep that sampling has ended is continued as a wait for no descriptors, which
 * takes a mask: so a signal of the program cannot arrive in between and be missed.
 * Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"

#define CLOCK	  CLOCK_MONOTONIC
#define US_PER_S  1000000
#define NS_PER_US 1000

/* The kernel ends long waits for descriptors late by up to 0.5 percent: those are split into
 * ever smaller parts, of which the last is as exact as a sleep. */
#define EXACT_NS 20000000
#define SHORTER	 128

static void sleep_shorten(struct timespec *part)
{
	int64_t length = (int64_t)part->tv_sec * 1000000000 + part->tv_nsec;

	if (length <= EXACT_NS)
		return;
	length -= length / SHORTER;
	part->tv_sec = length / 1000000000;
	part->tv_nsec = length % 1000000000;
}

static bool has_time(const struct timespec *rest)
{
	return rest->tv_sec > 0 || rest->tv_nsec > 0;
}

/* what is the deadline on the monotonic clock. */
static int sleep_once(const void *what, const sigset_t *mask)
{
	struct timespec rest, *part = hiding_rest(CLOCK, *(const int64_t *)what, &rest);
	int result;

	if (part && !has_time(part))
		return 0;
	if (part)
		sleep_shorten(part);
	result = hiding_real()->ppoll(NULL, 0, part, mask);
	return result == 0 ? HIDING_MORE : result;
}

/* 0 or EINTR, after sampling interrupted the sleep that returned result. */
static int sleep_on(struct hiding_call *call, int result, int64_t deadline, struct timespec *rest)
{
	if (result != EINTR) {
		hiding_release(call);
		return result;
	}
	if (hiding_continue(call, SYS_clock_nanosleep, sleep_once, &deadline, NULL) == 0)
		return 0;
	if (rest)
		(void)hiding_rest(CLOCK, deadline, rest);
	return EINTR;
}

int hiding_nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct hiding_call call = HIDING_CALL;
	int64_t deadline;
	int result, saved;

	if (!hiding_is_on())
		return hiding_real()->nanosleep(time, rest);
	deadline = time ? hiding_deadline(CLOCK, time) : 0; /* rest may be the same */
	saved = errno;
	HIDING_WAIT(&call, result = hiding_real()->nanosleep(time, rest));
	if (kymo_likely(!call.was_interrupted))
		return result;
	result = sleep_on(&call, result < 0 ? errno : 0, deadline, rest);
	errno = result ? result : saved;
	return result ? -1 : 0;
}

/* Other clocks: restarted unchanged. */

static int sleep_by(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	struct hiding_call call = HIDING_CALL;
	bool is_absolute = flags & TIMER_ABSTIME;
	int64_t deadline = is_absolute ? HIDING_FOREVER : hiding_deadline(clock, time);
	struct timespec left;
	int result;

	for (;;) {
		HIDING_WAIT(&call,
			    result = hiding_real()->clock_nanosleep(clock, flags, time, rest));
		if (!hiding_repeats(&call, result == EINTR))
			return result;
		if (!is_absolute && hiding_rest(clock, deadline, &left))
			time = &left;
	}
}

static int64_t sleep_time_of(const struct timespec *time)
{
	int64_t result;

	if (__builtin_mul_overflow((int64_t)time->tv_sec, 1000000000, &result) ||
	    __builtin_add_overflow(result, (int64_t)time->tv_nsec, &result))
		return time->tv_sec < 0 ? 0 : HIDING_FOREVER;
	return result;
}

int hiding_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *rest)
{
	struct hiding_call call = HIDING_CALL;
	bool is_absolute = flags & TIMER_ABSTIME;
	int64_t deadline;
	int result;

	if (!hiding_is_on() || !time)
		return hiding_real()->clock_nanosleep(clock, flags, time, rest);
	/* A duration on the real-time clock equals one on the monotonic clock, which is never
	 * set. */
	if (clock != CLOCK && (clock != CLOCK_REALTIME || is_absolute))
		return sleep_by(clock, flags, time, rest);
	deadline = is_absolute ? sleep_time_of(time) : hiding_deadline(CLOCK, time);
	HIDING_WAIT(&call, result = hiding_real()->clock_nanosleep(clock, flags, time, rest));
	return call.was_interrupted ? sleep_on(&call, result, deadline, is_absolute ? NULL : rest)
				    : result;
}

/* Functions built on it, in the C library as well. */

unsigned hiding_sleep(unsigned seconds)
{
	struct timespec time = {.tv_sec = seconds};
	int saved = errno;

	if (!hiding_is_on())
		return hiding_real()->sleep(seconds);
	if (hiding_nanosleep(&time, &time) < 0)
		return (unsigned)time.tv_sec;
	errno = saved;
	return 0;
}

int hiding_usleep(useconds_t microseconds)
{
	struct timespec time = {microseconds / US_PER_S,
				(long)(microseconds % US_PER_S) * NS_PER_US};

	if (!hiding_is_on())
		return hiding_real()->usleep(microseconds);
	return hiding_nanosleep(&time, NULL);
}

int hiding_thrd_sleep(const struct timespec *time, struct timespec *rest)
{
	int result;

	if (!hiding_is_on())
		return hiding_real()->thrd_sleep(time, rest);
	result = hiding_clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
	return result == 0 ? 0 : result == EINTR ? -1 : -2;
}
