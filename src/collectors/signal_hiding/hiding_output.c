/* Writing.  A signal interrupts a write into a full pipe or connection half way, and the program
 * gets a short count: it must not get one because of sampling.  Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"

#include "collectors/signal_hiding/hiding_restart.h"
#include "collectors/signal_hiding/hiding_sockets.h"

enum kind { WRITE, WRITEV, SEND, SENDTO, SENDMSG };

struct output { /* a call with its arguments */
	enum kind kind;
	int fd, flags;
	const struct iovec *parts;
	size_t count;
	const struct sockaddr *address;
	socklen_t length;
	const struct msghdr *message;
};

static ssize_t output_whole(const struct output *output)
{
	const struct hiding_real *real = hiding_real();

	switch (output->kind) {
	case WRITE:
		return real->write(output->fd, output->parts->iov_base, output->parts->iov_len);
	case WRITEV:
		return real->writev(output->fd, output->parts, (int)output->count);
	case SEND:
		return real->send(output->fd, output->parts->iov_base, output->parts->iov_len,
				  output->flags);
	case SENDTO:
		return real->sendto(output->fd, output->parts->iov_base, output->parts->iov_len,
				    output->flags, output->address, output->length);
	case SENDMSG:
		return real->sendmsg(output->fd, output->message, output->flags);
	}
	return -1;
}

/* Write a part of the rest. */
static ssize_t output_more(const struct output *output, const struct iovec *part)
{
	if (output->kind == WRITE || output->kind == WRITEV)
		return hiding_real()->write(output->fd, part->iov_base, part->iov_len);
	return hiding_real()->send(output->fd, part->iov_base, part->iov_len, output->flags);
}

static bool output_continues(struct hiding_call *call, const struct output *output,
			     struct hiding_patience *patience, ssize_t result)
{
	if (result < 0 && errno == EINTR)
		return hiding_is_patient(call, output->fd, patience);
	return result > 0 && hiding_is_stream(output->fd) && hiding_repeats(call, true);
}

/* After sampling interrupted the first call, which returned result.  After a complete part there
 * may be no reason to continue. */
static __attribute__((noinline)) ssize_t write_on(struct hiding_call *call,
						  const struct output *output, ssize_t result)
{
	struct hiding_patience patience = {SO_SNDTIMEO, EAGAIN, 0};
	size_t done = 0, asked = 0;
	struct iovec part;
	int saved = errno;

	for (;;) {
		done += result > 0 ? (size_t)result : 0;
		part = hiding_part(output->parts, output->count, done);
		if (part.iov_len == 0)
			break;
		if (!(asked && (size_t)result == asked) &&
		    !output_continues(call, output, &patience, result))
			break;
		asked = done ? part.iov_len : 0;
		HIDING_WAIT(call,
			    result = done ? output_more(output, &part) : output_whole(output));
	}
	hiding_release(call);
	if (done == 0)
		return result;
	errno = saved;
	return (ssize_t)done;
}

/* Between the first call and the program. */
#define WRITE_ON(call, result, ...)                                                                \
	(kymo_likely(!(call)->was_interrupted)                                                     \
		 ? (result)                                                                        \
		 : write_on(call, &(const struct output){__VA_ARGS__}, result))

ssize_t hiding_write(int fd, const void *from, size_t size)
{
	struct iovec part = {(void *)(uintptr_t)from, size};
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->write(fd, from, size);
	HIDING_WAIT(&call, result = hiding_real()->write(fd, from, size));
	return WRITE_ON(&call, result, .kind = WRITE, .fd = fd, .parts = &part, .count = 1);
}

ssize_t hiding_writev(int fd, const struct iovec *parts, int count)
{
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->writev(fd, parts, count);
	HIDING_WAIT(&call, result = hiding_real()->writev(fd, parts, count));
	return WRITE_ON(&call, result, .kind = WRITEV, .fd = fd, .parts = parts,
			.count = (size_t)count);
}

ssize_t hiding_send(int fd, const void *from, size_t size, int flags)
{
	struct iovec part = {(void *)(uintptr_t)from, size};
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->send(fd, from, size, flags);
	HIDING_WAIT(&call, result = hiding_real()->send(fd, from, size, flags));
	return WRITE_ON(&call, result, .kind = SEND, .fd = fd, .flags = flags, .parts = &part,
			.count = 1);
}

ssize_t hiding_sendto(int fd, const void *from, size_t size, int flags,
		      const struct sockaddr *address, socklen_t length)
{
	struct iovec part = {(void *)(uintptr_t)from, size};
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->sendto(fd, from, size, flags, address, length);
	HIDING_WAIT(&call, result = hiding_real()->sendto(fd, from, size, flags, address, length));
	return WRITE_ON(&call, result, .kind = SENDTO, .fd = fd, .flags = flags, .parts = &part,
			.count = 1, .address = address, .length = length);
}

ssize_t hiding_sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->sendmsg(fd, message, flags);
	HIDING_WAIT(&call, result = hiding_real()->sendmsg(fd, message, flags));
	return WRITE_ON(&call, result, .kind = SENDMSG, .fd = fd, .flags = flags,
			.parts = message->msg_iov, .count = message->msg_iovlen,
			.message = message);
}
