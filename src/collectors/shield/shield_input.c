/* Reading: what has a limit of time, and what is to fill the program's buffer (MSG_WAITALL)
 * and stopped half way because sampling came. */
#include "collectors/shield/shield.h"

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

static ssize_t whole(const struct input *input)
{
	const struct shield_real *real = shield_real();

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

/* Behind what has come already; only of calls on sockets. */
static ssize_t more(const struct input *input, const struct iovec *part)
{
	return shield_real()->recv(input->fd, part->iov_base, part->iov_len, input->flags);
}

/* Whether it is to wait until there is no room left. */
static bool fills(const struct input *input)
{
	return (input->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL &&
	       shield_is_stream(input->fd);
}

static bool goes_on(struct shield_call *call, const struct input *input,
		    struct shield_patience *patience, ssize_t result)
{
	if (result < 0 && errno == EINTR)
		return shield_is_patient(call, input->fd, patience);
	return result > 0 && fills(input) && shield_repeats(call, true);
}

/* After sampling came in the first call, which gave result.  What follows a part that was
 * done whole needs no reason to be begun. */
static __attribute__((noinline)) ssize_t read_on(struct shield_call *call,
						 const struct input *input, ssize_t result)
{
	struct shield_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	size_t done = 0, asked = 0;
	struct iovec part;
	int saved = errno;

	for (;;) {
		done += result > 0 ? (size_t)result : 0;
		part = shield_part(input->parts, input->count, done);
		if (part.iov_len == 0)
			break;
		if (!(asked && (size_t)result == asked) && !goes_on(call, input, &patience, result))
			break;
		asked = done ? part.iov_len : 0;
		SHIELD_WAIT(call, result = done ? more(input, &part) : whole(input));
	}
	shield_release(call);
	if (done == 0)
		return result;
	errno = saved;
	return (ssize_t)done;
}

/* Between the first call and what the program gets. */
#define READ_ON(call, result, ...)                                                                 \
	(kymo_likely(!(call)->has_come)                                                            \
		 ? (result)                                                                        \
		 : read_on(call, &(const struct input){__VA_ARGS__}, result))

ssize_t shield_read(int fd, void *to, size_t size)
{
	struct shield_call call = SHIELD_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->read(fd, to, size);
	SHIELD_WAIT(&call, result = shield_real()->read(fd, to, size));
	return READ_ON(&call, result, .kind = READ, .fd = fd, .parts = &part, .count = 1);
}

/* The checks of programs built with _FORTIFY_SOURCE: the C library ends those that fail. */
ssize_t shield___read_chk(int fd, void *to, size_t size, size_t room)
{
	if (!shield_is_on() || size > room)
		return shield_real()->__read_chk(fd, to, size, room);
	return shield_read(fd, to, size);
}

ssize_t shield_readv(int fd, const struct iovec *parts, int count)
{
	struct shield_call call = SHIELD_CALL;
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->readv(fd, parts, count);
	SHIELD_WAIT(&call, result = shield_real()->readv(fd, parts, count));
	return READ_ON(&call, result, .kind = READV, .fd = fd, .parts = (struct iovec *)parts,
		       .count = (size_t)count);
}

ssize_t shield_recv(int fd, void *to, size_t size, int flags)
{
	struct shield_call call = SHIELD_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->recv(fd, to, size, flags);
	SHIELD_WAIT(&call, result = shield_real()->recv(fd, to, size, flags));
	return READ_ON(&call, result, .kind = RECV, .fd = fd, .flags = flags, .parts = &part,
		       .count = 1);
}

ssize_t shield___recv_chk(int fd, void *to, size_t size, size_t room, int flags)
{
	if (!shield_is_on() || size > room)
		return shield_real()->__recv_chk(fd, to, size, room, flags);
	return shield_recv(fd, to, size, flags);
}

ssize_t shield_recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *address,
			socklen_t *length)
{
	struct shield_call call = SHIELD_CALL;
	struct iovec part = {to, size};
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->recvfrom(fd, to, size, flags, address, length);
	SHIELD_WAIT(&call, result = shield_real()->recvfrom(fd, to, size, flags, address, length));
	return READ_ON(&call, result, .kind = RECVFROM, .fd = fd, .flags = flags, .parts = &part,
		       .count = 1, .address = address, .length = length);
}

ssize_t shield___recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
			      struct sockaddr *address, socklen_t *length)
{
	if (!shield_is_on() || size > room)
		return shield_real()->__recvfrom_chk(fd, to, size, room, flags, address, length);
	return shield_recvfrom(fd, to, size, flags, address, length);
}

ssize_t shield_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct shield_call call = SHIELD_CALL;
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->recvmsg(fd, message, flags);
	SHIELD_WAIT(&call, result = shield_real()->recvmsg(fd, message, flags));
	return READ_ON(&call, result, .kind = RECVMSG, .fd = fd, .flags = flags,
		       .parts = message->msg_iov, .count = message->msg_iovlen, .message = message);
}
