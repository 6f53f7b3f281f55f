/* What threads wait in: for a thread that sleeps in a system call the kernel provides its number
 * and arguments. */
#include "collectors/functions/threads/funcpatch_waiting.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "platform/proc/proc_file.h"
#include "platform/rawcall.h"
#include "platform/threads/stoppedcall.h"

#define ARGUMENTS	  6u
#define EXTENDED_ARGUMENT 8u /* IORING_ENTER_EXT_ARG: it may have a time limit */

enum limit { /* where the time limit of the call is */
	     NO_LIMIT,
	     IN_NUMBER,	  /* of milliseconds, negative: none */
	     IN_POINTER,  /* NULL: none */
	     IN_RECEIVER, /* in an option of the socket */
	     IN_SENDER,
	     IN_FLAGS
};

static const struct {
	uint16_t call;
	uint8_t limit, argument;
} calls[] = {
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, IN_NUMBER, 3},
#endif
#ifdef SYS_epoll_pwait2
	{SYS_epoll_pwait2, IN_POINTER, 3},
#endif
	{SYS_epoll_pwait, IN_NUMBER, 3},
	{SYS_semop, NO_LIMIT, 0},
	{SYS_semtimedop, IN_POINTER, 3},
	{SYS_rt_sigtimedwait, IN_POINTER, 2},
	{SYS_io_getevents, IN_POINTER, 4},
	{SYS_io_uring_enter, IN_FLAGS, 3},
	{SYS_recvfrom, IN_RECEIVER, 0},
	{SYS_recvmsg, IN_RECEIVER, 0},
	{SYS_recvmmsg, IN_RECEIVER, 0},
	{SYS_sendto, IN_SENDER, 0},
	{SYS_sendmsg, IN_SENDER, 0},
	{SYS_accept, IN_RECEIVER, 0},
	{SYS_accept4, IN_RECEIVER, 0},
	{SYS_read, IN_RECEIVER, 0}, /* of a socket, or of inotify */
	{SYS_readv, IN_RECEIVER, 0},
	{SYS_write, IN_SENDER, 0},
	{SYS_writev, IN_SENDER, 0},
	{SYS_sendmmsg, IN_SENDER, 0},
	{SYS_connect, IN_SENDER, 0},
};

static bool has_socket_limit(uint64_t descriptor, int option)
{
	struct timeval limit = {0, 0};
	uint32_t size = sizeof(limit);

	return raw_call6(SYS_getsockopt, (long)descriptor, SOL_SOCKET, option, (long)&limit,
			 (long)&size, 0) == 0 &&
	       (limit.tv_sec || limit.tv_usec);
}

static bool has_limit(enum limit limit, unsigned argument, const uint64_t *arguments)
{
	uint64_t value = arguments[argument];

	switch (limit) {
	case IN_NUMBER:
		return (int32_t)value >= 0;
	case IN_POINTER:
		return value != 0;
	case IN_FLAGS:
		return value & EXTENDED_ARGUMENT;
	case IN_RECEIVER:
		return has_socket_limit(value, SO_RCVTIMEO);
	case IN_SENDER:
		return has_socket_limit(value, SO_SNDTIMEO);
	case NO_LIMIT:
		break;
	}
	return false;
}

static const char *skip_number(const char *at)
{
	while (*at && *at != ' ')
		at++;
	while (*at == ' ')
		at++;
	return at;
}

static uint64_t hexadecimal(const char *at)
{
	uint64_t number = 0;

	for (at += 2; *at && *at != ' '; at++)
		number = number << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	return number;
}

/* "232 0x3 0x7ffe… …", "running", or "-1 …". */
static enum waiting of_text(const char *text)
{
	uint64_t arguments[ARGUMENTS];
	int64_t call = 0;
	const char *at = text;

	if (*at < '0' || *at > '9')
		return WAITING_FREE;
	for (; *at >= '0' && *at <= '9'; at++)
		call = call * 10 + (*at - '0');
	at = skip_number(at);
	for (unsigned i = 0; i < ARGUMENTS; i++, at = skip_number(at))
		arguments[i] = at[0] == '0' && at[1] == 'x' ? hexadecimal(at) : 0;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].call == call &&
		    has_limit(calls[i].limit, calls[i].argument, arguments))
			return stoppedcall_can_repeat(call) ? WAITING_LIMIT : WAITING_FRAGILE;
	return WAITING_FREE;
}

struct walk {
	int32_t process, except;
	enum waiting worst;
};

static bool waiting_take(int32_t thread, void *context)
{
	struct walk *walk = context;
	enum waiting waiting = WAITING_FREE;
	char text[256];

	if (thread != walk->except &&
	    proc_read(walk->process, thread, "syscall", text, sizeof(text)) > 0)
		waiting = of_text(text);
	if (waiting > walk->worst)
		walk->worst = waiting;
	return true;
}

enum waiting waiting_worst(int32_t except)
{
	struct walk walk = {(int32_t)raw_call(SYS_getpid, 0, 0, 0), except, WAITING_FREE};

	return proc_threads(walk.process, waiting_take, &walk) ? walk.worst : WAITING_FRAGILE;
}
