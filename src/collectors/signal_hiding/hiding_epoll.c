/* Waiting for descriptors with epoll: see hiding_poll.c.  Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/hiding_masks.h"

#define CLOCK	  CLOCK_MONOTONIC
#define MS_PER_S  1000
#define NS_PER_MS 1000000

struct polling {
	int fd, count;
	struct epoll_event *events;
	int64_t deadline;
};

/* In whole milliseconds, rounded up, for systems without the finer call. */
static int epoll_rest_ms(const struct timespec *rest)
{
	int64_t time;

	if (!rest)
		return -1;
	time = (int64_t)rest->tv_sec * MS_PER_S + (rest->tv_nsec + NS_PER_MS - 1) / NS_PER_MS;
	return time < INT32_MAX ? (int)time : INT32_MAX;
}

static int epoll_wait_once(const void *what, const sigset_t *mask)
{
	const struct polling *p = what;
	struct timespec room, *rest = hiding_rest(CLOCK, p->deadline, &room);
	int result = hiding_real()->epoll_pwait2(p->fd, p->events, p->count, rest, mask);

	if (result < 0 && errno == ENOSYS)
		result = hiding_real()->epoll_pwait(p->fd, p->events, p->count, epoll_rest_ms(rest),
						    mask);
	return result;
}

static int64_t epoll_deadline_ms(int time)
{
	struct timespec length = {time / MS_PER_S, (long)(time % MS_PER_S) * NS_PER_MS};

	return time < 0 ? HIDING_FOREVER : hiding_deadline(CLOCK, &length);
}

int hiding_epoll_wait(int fd, struct epoll_event *events, int count, int time)
{
	struct hiding_call call = HIDING_CALL;
	struct polling polling = {fd, count, events, 0};
	int result;

	if (!hiding_is_on() || time == 0)
		return hiding_real()->epoll_wait(fd, events, count, time);
	polling.deadline = epoll_deadline_ms(time);
	HIDING_WAIT(&call, result = hiding_real()->epoll_wait(fd, events, count, time));
	return hiding_finish(&call, result, SYS_epoll_wait, epoll_wait_once, &polling, NULL);
}

int hiding_epoll_pwait(int fd, struct epoll_event *events, int count, int time,
		       const sigset_t *mask)
{
	struct hiding_call call = HIDING_CALL;
	struct polling polling = {fd, count, events, 0};
	sigset_t without;
	int result;

	if (!hiding_is_on() || (time == 0 && !mask))
		return hiding_real()->epoll_pwait(fd, events, count, time, mask);
	if (mask) {
		without = hiding_without(mask);
		mask = &without;
	}
	polling.deadline = epoll_deadline_ms(time);
	HIDING_WAIT(&call, result = hiding_real()->epoll_pwait(fd, events, count, time, mask));
	return hiding_finish(&call, result, SYS_epoll_pwait, epoll_wait_once, &polling, mask);
}

int hiding_epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *time,
			const sigset_t *mask)
{
	struct hiding_call call = HIDING_CALL;
	struct polling polling = {fd, count, events, 0};
	sigset_t without;
	int result;

	if (!hiding_is_on())
		return hiding_real()->epoll_pwait2(fd, events, count, time, mask);
	if (mask) {
		without = hiding_without(mask);
		mask = &without;
	}
	polling.deadline = hiding_deadline(CLOCK, time);
	HIDING_WAIT(&call, result = hiding_real()->epoll_pwait2(fd, events, count, time, mask));
	return hiding_finish(&call, result, SYS_epoll_pwait2, epoll_wait_once, &polling, mask);
}
