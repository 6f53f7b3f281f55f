/* Calls that wait: with a limit, and until a signal comes.  What they wait on, the program
 * prepares. */
#ifndef KYMO_HIDING_CALLS_H
#define KYMO_HIDING_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int pipe_fd[2], socket_fd[2], epoll_fd, queue, set;
static sem_t semaphore;
static sigset_t all, none, usr2;
static volatile sig_atomic_t handled;
static struct timespec rest;

static struct timespec ms(int64_t time)
{
	struct timespec length = {time / 1000, time % 1000 * 1000000};

	return length;
}

static struct timespec from_now(clockid_t clock, int64_t time)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += time / 1000;
	now.tv_nsec += time % 1000 * 1000000;
	if (now.tv_nsec >= 1000000000) {
		now.tv_sec++;
		now.tv_nsec -= 1000000000;
	}
	return now;
}

/* An errno value that was returned, as a failure. */
static long as_failure(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static long limit_of_socket(int option, int time)
{
	struct timeval limit = {time / 1000, time % 1000 * 1000};

	return setsockopt(socket_fd[0], SOL_SOCKET, option, &limit, sizeof(limit));
}

static long do_poll(int time)
{
	struct pollfd fd = {.fd = pipe_fd[0], .events = POLLIN};

	return poll(&fd, 1, time);
}

static long do_ppoll(int time)
{
	struct pollfd fd = {.fd = pipe_fd[0], .events = POLLIN};
	struct timespec length = ms(time);

	return ppoll(&fd, 1, &length, &none);
}

static long do_select(int time)
{
	struct timeval length = {time / 1000, time % 1000 * 1000};
	fd_set in;
	long result;

	FD_ZERO(&in);
	FD_SET(pipe_fd[0], &in);
	result = select(pipe_fd[0] + 1, &in, NULL, NULL, &length);
	rest.tv_sec = length.tv_sec;
	rest.tv_nsec = length.tv_usec;
	return result;
}

static long do_pselect(int time)
{
	struct timespec length = ms(time);
	fd_set in;

	FD_ZERO(&in);
	FD_SET(pipe_fd[0], &in);
	return pselect(pipe_fd[0] + 1, &in, NULL, NULL, &length, &none);
}

static long do_epoll_wait(int time)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, time);
}

static long do_epoll_pwait(int time)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd, &event, 1, time, &none);
}

static long do_epoll_pwait2(int time)
{
	struct timespec length = ms(time);
	struct epoll_event event;

	return epoll_pwait2(epoll_fd, &event, 1, &length, NULL);
}

static long do_nanosleep(int time)
{
	struct timespec length = ms(time);

	return nanosleep(&length, &rest);
}

static long do_clock_monotonic(int time)
{
	struct timespec length = ms(time);

	return as_failure(clock_nanosleep(CLOCK_MONOTONIC, 0, &length, &rest));
}

static long do_clock_until(int time)
{
	struct timespec end = from_now(CLOCK_MONOTONIC, time);

	return as_failure(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL));
}

static long do_clock_wall_until(int time)
{
	struct timespec end = from_now(CLOCK_REALTIME, time);

	return as_failure(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL));
}

static long do_clock_boot(int time)
{
	struct timespec length = ms(time);

	return as_failure(clock_nanosleep(CLOCK_BOOTTIME, 0, &length, &rest));
}

static long do_usleep(int time)
{
	return usleep(time * 1000);
}

static long do_thrd_sleep(int time)
{
	struct timespec length = ms(time);

	return thrd_sleep(&length, &rest);
}

static long do_sigtimedwait(int time)
{
	struct timespec length = ms(time);

	return sigtimedwait(&usr2, NULL, &length);
}

static long do_semtimedop(int time)
{
	struct sembuf down = {0, -1, 0};
	struct timespec length = ms(time);

	return semtimedop(set, &down, 1, &length);
}

static long do_sem_timedwait(int time)
{
	struct timespec end = from_now(CLOCK_REALTIME, time);

	return sem_timedwait(&semaphore, &end);
}

static long do_sem_clockwait(int time)
{
	struct timespec end = from_now(CLOCK_MONOTONIC, time);

	return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end);
}

static long do_recv(int time)
{
	char byte;

	limit_of_socket(SO_RCVTIMEO, time);
	return recv(socket_fd[0], &byte, 1, 0);
}

static long do_read(int time)
{
	char byte;

	limit_of_socket(SO_RCVTIMEO, time);
	return read(socket_fd[0], &byte, 1);
}

static long do_recvmsg(int time)
{
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	limit_of_socket(SO_RCVTIMEO, time);
	return recvmsg(socket_fd[0], &message, 0);
}

static long do_send(int time)
{
	static char much[1 << 16];
	long result;

	limit_of_socket(SO_SNDTIMEO, time);
	while (send(socket_fd[0], much, sizeof(much), MSG_DONTWAIT) > 0)
		;
	result = send(socket_fd[0], much, sizeof(much), 0);
	return result;
}

static long do_accept(int time)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	struct timeval limit = {time / 1000, time % 1000 * 1000};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	long result;

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bind(fd, (struct sockaddr *)&any, sizeof(any));
	listen(fd, 1);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	result = accept(fd, NULL, NULL);
	time = errno;
	close(fd);
	errno = time;
	return result;
}

static long do_cond_timedwait(int time)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec end = from_now(CLOCK_REALTIME, time);
	int result;

	pthread_mutex_lock(&mutex);
	do
		result = pthread_cond_timedwait(&condition, &mutex, &end);
	while (result == 0);
	pthread_mutex_unlock(&mutex);
	return as_failure(result);
}

static long do_pause(int unused)
{
	(void)unused;
	return pause();
}

static long do_sigsuspend(int unused)
{
	(void)unused;
	return sigsuspend(&none);
}

static long do_poll_endless(int unused)
{
	(void)unused;
	return do_poll(-1);
}

static long do_select_endless(int unused)
{
	(void)unused;
	return select(0, NULL, NULL, NULL, NULL);
}

static long do_epoll_endless(int unused)
{
	(void)unused;
	return do_epoll_wait(-1);
}

static long do_clock_for_ever(int unused)
{
	struct timespec end = {.tv_sec = INT64_MAX};

	(void)unused;
	return as_failure(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL));
}

static long do_sigwaitinfo(int unused)
{
	(void)unused;
	return sigwaitinfo(&usr2, NULL);
}

static long do_semop(int unused)
{
	struct sembuf down = {0, -1, 0};

	(void)unused;
	return semop(set, &down, 1);
}

static long do_msgrcv(int unused)
{
	struct {
		long type;
		char text[8];
	} message;

	(void)unused;
	return msgrcv(queue, &message, sizeof(message.text), 0, 0);
}

static long do_msgsnd(int unused)
{
	static struct {
		long type;
		char text[4096];
	} message = {.type = 1};
	long result;

	(void)unused;
	while (msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT) == 0)
		;
	result = msgsnd(queue, &message, sizeof(message.text), 0);
	unused = errno;
	while (msgrcv(queue, &message, sizeof(message.text), 0, IPC_NOWAIT) > 0)
		;
	errno = unused;
	return result;
}

static long do_read_pipe(int unused)
{
	char byte;

	(void)unused;
	return read(pipe_fd[0], &byte, 1);
}

#endif
