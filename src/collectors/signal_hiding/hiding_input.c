/* Reading: calls with a time limit, and calls that must fill the program's buffer (MSG_WAITALL)
 * and were interrupted half way by sampling.  Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/hiding_sockets.h"

enum kind { READ, READV, RECV, RECVFROM, RECVMSG };

struct input { /* a call with its arguments */
	enum kind kind;
	int fd, flags;
	struct iovec *parts;
	size_t count;
	struct sockaddr *address;
	socklen_t *length;
	struct msghdr *message;
};

static ssize_t input_whole(const struct input *input)
{
	const struct hiding_real *real = hiding_real();

	switch (input->kind) {
	case READ:
		return real->read(input->fd, input->parts->iov_base, input->parts->iov_len);
	case READV:
		return real->readv(input->fd, input->parts, (int)input->count);
	case RECV:
		return real->recv(input->fd, input->parts->iov_base, input->parts->iov_len,
				  input->flags);
	case RECVFROM:
		return real->recvfrom(input->fd, input->parts->iov_base, input->parts->iov_len,
				      input->flags, input->address, input->length);
	case RECVMSG:
		return real->recvmsg(input->fd, input->message, input->flags);
	}
	return -1;
}

/* Read after what has arrived already; only for calls on sockets. */
static ssize_t input_more(const struct input *input, const struct iovec *part)
{
	return hiding_real()->recv(input->fd, part->iov_base, part->iov_len, input->flags);
}

/* Whether it waits until the buffer is full. */
static bool fills(const struct input *input)
{
	return (input->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
	       hiding_is_stream(input->fd);
}

static bool input_continues(struct hiding_call *call, const struct input *input,
			    struct hiding_patience *patience, ssize_t result)
{
	if (result < 0 && errno == EINTR)
		return hiding_is_patient(call, input->fd, patience);
	return result > 0 && fills(input) && hiding_repeats(call, true);
}

/* After sampling interrupted the first call, which returned result.  After a complete part there
 * may be no reason to continue. */
static __attribute__((noinline)) ssize_t read_on(struct hiding_call *call,
						 const struct input *input, ssize_t result)
{
	struct hiding_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	size_t done = 0, asked = 0;
	struct iovec part;
	int saved = errno;

	for (;;) {
		done += result > 0 ? (size_t)result : 0;
		part = hiding_part(input->parts, input->count, done);
		if (part.iov_len == 0)
			break;
		if (!(asked && (size_t)result == asked) &&
		    !input_continues(call, input, &patience, result))
			break;
		asked = done ? part.iov_len : 0;
		HIDING_WAIT(call, result = done ? input_more(input, &part) : input_whole(input));
	}
	hiding_release(call);
	if (done == 0)
		return result;
	errno = saved;
	return (ssize_t)done;
}

/* Between the first call and the program. */
#define READ_ON(call, result, ...)                                                                 \
	(kymo_likely(!(call)->was_interrupted)                                                     \
		 ? (result)                                                                        \
		 : read_on(call, &(const struct input){__VA_ARGS__}, result))

ssize_t hiding_read(int fd, void *to, size_t size)
{
	struct hiding_call call = HIDING_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->read(fd, to, size);
	HIDING_WAIT(&call, result = hiding_real()->read(fd, to, size));
	return READ_ON(&call, result, .kind = READ, .fd = fd, .parts = &part, .count = 1);
}

/* The checks of programs built with _FORTIFY_SOURCE: the C library aborts if they fail. */
ssize_t hiding___read_chk(int fd, void *to, size_t size, size_t room)
{
	if (!hiding_is_on() || size > room)
		return hiding_real()->__read_chk(fd, to, size, room);
	return hiding_read(fd, to, size);
}

ssize_t hiding_readv(int fd, const struct iovec *parts, int count)
{
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->readv(fd, parts, count);
	HIDING_WAIT(&call, result = hiding_real()->readv(fd, parts, count));
	return READ_ON(&call, result, .kind = READV, .fd = fd, .parts = (struct iovec *)parts,
		       .count = (size_t)count);
}

ssize_t hiding_recv(int fd, void *to, size_t size, int flags)
{
	struct hiding_call call = HIDING_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->recv(fd, to, size, flags);
	HIDING_WAIT(&call, result = hiding_real()->recv(fd, to, size, flags));
	return READ_ON(&call, result, .kind = RECV, .fd = fd, .flags = flags, .parts = &part,
		       .count = 1);
}

ssize_t hiding___recv_chk(int fd, void *to, size_t size, size_t room, int flags)
{
	if (!hiding_is_on() || size > room)
		return hiding_real()->__recv_chk(fd, to, size, room, flags);
	return hiding_recv(fd, to, size, flags);
}

ssize_t hiding_recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *address,
			socklen_t *length)
{
	struct hiding_call call = HIDING_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->recvfrom(fd, to, size, flags, address, length);
	HIDING_WAIT(&call, result = hiding_real()->recvfrom(fd, to, size, flags, address, length));
	return READ_ON(&call, result, .kind = RECVFROM, .fd = fd, .flags = flags, .parts = &part,
		       .count = 1, .address = address, .length = length);
}

ssize_t hiding___recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
			      struct sockaddr *address, socklen_t *length)
{
	if (!hiding_is_on() || size > room)
		return hiding_real()->__recvfrom_chk(fd, to, size, room, flags, address, length);
	return hiding_recvfrom(fd, to, size, flags, address, length);
}

ssize_t hiding_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->recvmsg(fd, message, flags);
	HIDING_WAIT(&call, result = hiding_real()->recvmsg(fd, message, flags));
	return READ_ON(&call, result, .kind = RECVMSG, .fd = fd, .flags = flags,
		       .parts = message->msg_iov, .count = message->msg_iovlen, .message = message);
}
