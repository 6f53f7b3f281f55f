/* Waiting for descriptors: poll, select, epoll.  A wait that sampling has ended is continued by
 * the variant of the call that takes a mask, with the remaining time.  Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/hiding_masks.h"

#define CLOCK	  CLOCK_MONOTONIC
#define MS_PER_S  1000
#define NS_PER_MS 1000000
#define NS_PER_US 1000

/* When a wait of so many milliseconds ends. */
static int64_t poll_deadline_ms(int time)
{
	struct timespec length = {time / MS_PER_S, (long)(time % MS_PER_S) * NS_PER_MS};

	return time < 0 ? HIDING_FOREVER : hiding_deadline(CLOCK, &length);
}

static bool is_zero(const struct timespec *time)
{
	return time && time->tv_sec == 0 && time->tv_nsec == 0;
}

struct polling {
	struct pollfd *fds;
	nfds_t count;
	int64_t deadline;
};

static int poll_once(const void *what, const sigset_t *mask)
{
	const struct polling *polling = what;
	struct timespec rest;

	return hiding_real()->ppoll(polling->fds, polling->count,
				    hiding_rest(CLOCK, polling->deadline, &rest), mask);
}

int hiding_poll(struct pollfd *fds, nfds_t count, int time)
{
	struct hiding_call call = HIDING_CALL;
	struct polling polling = {fds, count, 0};
	int result;

	if (!hiding_is_on() || time == 0)
		return hiding_real()->poll(fds, count, time);
	polling.deadline = poll_deadline_ms(time);
	HIDING_WAIT(&call, result = hiding_real()->poll(fds, count, time));
	return hiding_finish(&call, result, SYS_poll, poll_once, &polling, NULL);
}

/* The checks of programs built with _FORTIFY_SOURCE: the C library aborts if they fail. */
int hiding___poll_chk(struct pollfd *fds, nfds_t count, int time, size_t size)
{
	if (!hiding_is_on() || size / sizeof(*fds) < count)
		return hiding_real()->__poll_chk(fds, count, time, size);
	return hiding_poll(fds, count, time);
}

int hiding_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time,
		 const sigset_t *mask)
{
	struct hiding_call call = HIDING_CALL;
	struct polling polling = {fds, count, 0};
	sigset_t without;
	int result;

	if (!hiding_is_on() || (is_zero(time) && !mask))
		return hiding_real()->ppoll(fds, count, time, mask);
	if (mask) {
		without = hiding_without(mask);
		mask = &without;
	}
	polling.deadline = hiding_deadline(CLOCK, time);
	HIDING_WAIT(&call, result = hiding_real()->ppoll(fds, count, time, mask));
	return hiding_finish(&call, result, SYS_ppoll, poll_once, &polling, mask);
}

int hiding___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *time,
		       const sigset_t *mask, size_t size)
{
	if (!hiding_is_on() || size / sizeof(*fds) < count)
		return hiding_real()->__ppoll_chk(fds, count, time, mask, size);
	return hiding_ppoll(fds, count, time, mask);
}

/* select(): its sets are unchanged if a signal ends it. */

struct selecting {
	int count;
	fd_set *in, *out, *other;
	int64_t deadline;
};

static int select_once(const void *what, const sigset_t *mask)
{
	const struct selecting *s = what;
	struct timespec rest;

	return hiding_real()->pselect(s->count, s->in, s->out, s->other,
				      hiding_rest(CLOCK, s->deadline, &rest), mask);
}

/* Linux returns the remaining time. */
static void store_rest(int64_t deadline, struct timeval *time)
{
	struct timespec rest;

	if (!time || !hiding_rest(CLOCK, deadline, &rest))
		return;
	time->tv_sec = rest.tv_sec;
	time->tv_usec = rest.tv_nsec / NS_PER_US;
}

static int select_waiting(struct selecting *s, struct timeval *time)
{
	struct hiding_call call = HIDING_CALL;
	struct timespec length;
	int result;

	s->deadline = HIDING_FOREVER;
	if (time && time->tv_usec >= 0) {
		length.tv_sec = time->tv_sec;
		length.tv_nsec = 0;
		s->deadline = hiding_deadline(CLOCK, &length);
		if (__builtin_add_overflow(s->deadline, (int64_t)time->tv_usec * NS_PER_US,
					   &s->deadline))
			s->deadline = HIDING_FOREVER;
	}
	HIDING_WAIT(&call, result = hiding_real()->select(s->count, s->in, s->out, s->other, time));
	if (kymo_likely(!call.was_interrupted))
		return result;
	result = hiding_finish(&call, result, SYS_pselect6, select_once, s, NULL);
	store_rest(s->deadline, time);
	return result;
}

int hiding_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time)
{
	struct selecting s = {count, in, out, other, 0};

	if (!hiding_is_on() || (time && time->tv_sec == 0 && time->tv_usec == 0))
		return hiding_real()->select(count, in, out, other, time);
	return select_waiting(&s, time);
}

int hiding_pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time,
		   const sigset_t *mask)
{
	struct hiding_call call = HIDING_CALL;
	struct selecting s = {count, in, out, other, 0};
	sigset_t without;
	int result;

	if (!hiding_is_on() || (is_zero(time) && !mask))
		return hiding_real()->pselect(count, in, out, other, time, mask);
	if (mask) {
		without = hiding_without(mask);
		mask = &without;
	}
	s.deadline = hiding_deadline(CLOCK, time);
	HIDING_WAIT(&call, result = hiding_real()->pselect(count, in, out, other, time, mask));
	return hiding_finish(&call, result, SYS_pselect6, select_once, &s, mask);
}
