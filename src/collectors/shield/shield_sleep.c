/* Sleeping.  A sleep that sampling has ended goes on as a wait for no descriptors, which takes
 * a mask: a signal of the program's cannot slip in between and be slept over. */
#include "collectors/shield/shield.h"

#define CLOCK	  CLOCK_MONOTONIC
#define US_PER_S  1000000
#define NS_PER_US 1000

/* The kernel ends long waits for descriptors late by up to a two-hundredth: those are done in
 * ever smaller parts, of which the last is as exact as a sleep. */
#define EXACT_NS 20000000
#define SHORTER	 128

static void shorten(struct timespec *part)
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
	struct timespec rest, *part = shield_rest(CLOCK, *(const int64_t *)what, &rest);
	int result;

	if (part && !has_time(part))
		return 0;
	if (part)
		shorten(part);
	result = shield_real()->ppoll(NULL, 0, part, mask);
	return result == 0 ? SHIELD_MORE : result;
}

/* 0 or EINTR, after sampling came in the sleep that gave result. */
static int sleep_on(struct shield_call *call, int result, int64_t deadline, struct timespec *rest)
{
	if (result != EINTR) {
		shield_release(call);
		return result;
	}
	if (shield_go_on(call, SYS_clock_nanosleep, sleep_once, &deadline, NULL) == 0)
		return 0;
	if (rest)
		(void)shield_rest(CLOCK, deadline, rest);
	return EINTR;
}

int shield_nanosleep(const struct timespec *time, struct timespec *rest)
{
	struct shield_call call = SHIELD_CALL;
	int64_t deadline;
	int result, saved;

	if (!shield_is_on())
		return shield_real()->nanosleep(time, rest);
	deadline = time ? shield_deadline(CLOCK, time) : 0; /* rest may be the same */
	saved = errno;
	SHIELD_WAIT(&call, result = shield_real()->nanosleep(time, rest));
	if (kymo_likely(!call.has_come))
		return result;
	result = sleep_on(&call, result < 0 ? errno : 0, deadline, rest);
	errno = result ? result : saved;
	return result ? -1 : 0;
}

/* ---- other clocks: begun again as they were ---------------------------------------------- */

static int sleep_by(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	struct shield_call call = SHIELD_CALL;
	bool is_absolute = flags & TIMER_ABSTIME;
	int64_t deadline = is_absolute ? SHIELD_FOREVER : shield_deadline(clock, time);
	struct timespec left;
	int result;

	for (;;) {
		SHIELD_WAIT(&call,
			    result = shield_real()->clock_nanosleep(clock, flags, time, rest));
		if (!shield_repeats(&call, result == EINTR))
			return result;
		if (!is_absolute && shield_rest(clock, deadline, &left))
			time = &left;
	}
}

static int64_t time_of(const struct timespec *time)
{
	int64_t result;

	if (__builtin_mul_overflow((int64_t)time->tv_sec, 1000000000, &result) ||
	    __builtin_add_overflow(result, (int64_t)time->tv_nsec, &result))
		return time->tv_sec < 0 ? 0 : SHIELD_FOREVER;
	return result;
}

int shield_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
			   struct timespec *rest)
{
	struct shield_call call = SHIELD_CALL;
	bool is_absolute = flags & TIMER_ABSTIME;
	int64_t deadline;
	int result;

	if (!shield_is_on() || !time)
		return shield_real()->clock_nanosleep(clock, flags, time, rest);
	/* A length by the wall clock is one by the clock that nobody sets. */
	if (clock != CLOCK && (clock != CLOCK_REALTIME || is_absolute))
		return sleep_by(clock, flags, time, rest);
	deadline = is_absolute ? time_of(time) : shield_deadline(CLOCK, time);
	SHIELD_WAIT(&call, result = shield_real()->clock_nanosleep(clock, flags, time, rest));
	return call.has_come ? sleep_on(&call, result, deadline, is_absolute ? NULL : rest)
			     : result;
}

/* ---- what is built on it, in the C library as well ---------------------------------------- */

unsigned shield_sleep(unsigned seconds)
{
	struct timespec time = {.tv_sec = seconds};
	int saved = errno;

	if (!shield_is_on())
		return shield_real()->sleep(seconds);
	if (shield_nanosleep(&time, &time) < 0)
		return (unsigned)time.tv_sec;
	errno = saved;
	return 0;
}

int shield_usleep(useconds_t microseconds)
{
	struct timespec time = {microseconds / US_PER_S,
				(long)(microseconds % US_PER_S) * NS_PER_US};

	if (!shield_is_on())
		return shield_real()->usleep(microseconds);
	return shield_nanosleep(&time, NULL);
}

int shield_thrd_sleep(const struct timespec *time, struct timespec *rest)
{
	int result;

	if (!shield_is_on())
		return shield_real()->thrd_sleep(time, rest);
	result = shield_clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
	return result == 0 ? 0 : result == EINTR ? -1 : -2;
}
