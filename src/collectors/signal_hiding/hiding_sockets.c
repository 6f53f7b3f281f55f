/* Sockets with SO_RCVTIMEO or SO_SNDTIMEO, whose calls are not restarted by the kernel, and the
 * rest of an interrupted transfer.
 *
 * When such a call began is not known without reading the clock before each of them, so the
 * limit counts from the first interruption by sampling: it is up to a sampling period late. */
#include "collectors/signal_hiding/hiding_sockets.h"

#include <sys/stat.h>

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/signal_hiding.h"

#define CLOCK	  CLOCK_MONOTONIC
#define NS_PER_US 1000

static int64_t limit_of(int fd, int option)
{
	struct timeval limit = {0, 0};
	socklen_t size = sizeof(limit);
	struct timespec length;

	if (hiding_real()->getsockopt(fd, SOL_SOCKET, option, &limit, &size) != 0 ||
	    (limit.tv_sec == 0 && limit.tv_usec == 0))
		return HIDING_FOREVER;
	length.tv_sec = limit.tv_sec;
	length.tv_nsec = limit.tv_usec * NS_PER_US;
	return hiding_deadline(CLOCK, &length);
}

struct waiting {
	struct pollfd descriptor;
	int64_t deadline;
};

static int sockets_wait_once(const void *what, const sigset_t *mask)
{
	struct waiting waiting = *(const struct waiting *)what;
	struct timespec rest;

	return hiding_real()->ppoll(&waiting.descriptor, 1,
				    hiding_rest(CLOCK, waiting.deadline, &rest), mask);
}

bool hiding_is_patient(struct hiding_call *call, int fd, struct hiding_patience *patience)
{
	short events = patience->option == SO_RCVTIMEO ? POLLIN : POLLOUT;
	struct waiting waiting = {.descriptor = {.fd = fd, .events = events}};
	int result;

	if (!call->is_blocked || !hiding_is_alone(call)) {
		hiding_release(call);
		errno = EINTR;
		return false;
	}
	if (patience->deadline == 0)
		patience->deadline = limit_of(fd, patience->option);
	errno = EINTR;
	if (patience->deadline == HIDING_FOREVER)
		return hiding_repeats(call, true);
	waiting.deadline = patience->deadline;
	result = hiding_continue(call, SYS_connect, sockets_wait_once, &waiting, NULL);
	if (result == 0)
		errno = patience->late;
	return result > 0;
}

bool hiding_is_stream(int fd)
{
	socklen_t size = sizeof(int);
	struct stat status;
	int type = 0;

	if (fstat(fd, &status) != 0)
		return false;
	if (!S_ISSOCK(status.st_mode))
		return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
	return hiding_real()->getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
	       type == SOCK_STREAM;
}

struct iovec hiding_part(const struct iovec *parts, size_t count, size_t done)
{
	struct iovec part = {NULL, 0};

	for (size_t i = 0; i < count; i++) {
		if (done < parts[i].iov_len) {
			part.iov_base = (char *)parts[i].iov_base + done;
			part.iov_len = parts[i].iov_len - done;
			return part;
		}
		done -= parts[i].iov_len;
	}
	return part;
}

static bool sockets_is_ended(int result)
{
	return result < 0 && errno == EINTR;
}

/* True if the call has to be restarted. */
static bool accepts_restart(struct hiding_call *call, int result, int fd,
			    struct hiding_patience *patience)
{
	if (kymo_likely(!call->was_interrupted))
		return false;
	if (sockets_is_ended(result))
		return hiding_is_patient(call, fd, patience);
	hiding_release(call);
	return false;
}

int hiding_accept(int fd, struct sockaddr *address, socklen_t *length)
{
	struct hiding_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->accept(fd, address, length);
	do
		HIDING_WAIT(&call, result = hiding_real()->accept(fd, address, length));
	while (accepts_restart(&call, result, fd, &patience));
	return result;
}

int hiding_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	struct hiding_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->accept4(fd, address, length, flags);
	do
		HIDING_WAIT(&call, result = hiding_real()->accept4(fd, address, length, flags));
	while (accepts_restart(&call, result, fd, &patience));
	return result;
}

/* A second call on the same socket waits for the connection that the first has begun. */
int hiding_connect(int fd, const struct sockaddr *address, socklen_t length)
{
	struct hiding_patience patience = {SO_SNDTIMEO, EINPROGRESS, 0};
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->connect(fd, address, length);
	do
		HIDING_WAIT(&call, result = hiding_real()->connect(fd, address, length));
	while (accepts_restart(&call, result, fd, &patience));
	return result;
}
