/* Transfers that a signal would stop half way: all of them are made in one call. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SIZE  (4u << 20)
#define PARTS 7

static char *data, *got;
static int fds[2];

/* Slowly, so that the writer waits most of the time. */
static void *drain(void *fd)
{
	struct timespec little = {0, 300000};
	size_t size = 0;
	ssize_t part;

	while (size < SIZE) {
		part = read((int)(long)fd, got + size, SIZE - size < 30000 ? SIZE - size : 30000);
		if (part <= 0)
			break;
		size += (size_t)part;
		nanosleep(&little, NULL);
	}
	return (void *)(long)(size == SIZE && memcmp(got, data, SIZE) == 0);
}

static void cut(struct iovec *parts)
{
	for (int i = 0; i < PARTS; i++) {
		parts[i].iov_base = data + SIZE / PARTS * (size_t)i;
		parts[i].iov_len = i < PARTS - 1 ? SIZE / PARTS : SIZE - SIZE / PARTS * (PARTS - 1);
	}
}

static ssize_t do_write(int fd)
{
	return write(fd, data, SIZE);
}

static ssize_t do_writev(int fd)
{
	struct iovec parts[PARTS];

	cut(parts);
	return writev(fd, parts, PARTS);
}

static ssize_t do_send(int fd)
{
	return send(fd, data, SIZE, 0);
}

static ssize_t do_sendmsg(int fd)
{
	struct iovec parts[PARTS];
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = PARTS};

	cut(parts);
	return sendmsg(fd, &message, 0);
}

static void check(const char *name, ssize_t (*call)(int), int is_socket)
{
	pthread_t thread;
	ssize_t size;
	void *whole;

	if ((is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds)) != 0)
		exit(9);
	memset(got, 0, SIZE);
	pthread_create(&thread, NULL, drain, (void *)(long)fds[0]);
	size = call(fds[1]);
	close(fds[1]);
	pthread_join(thread, &whole);
	printf("%s: %zd %ld\n", name, size, (long)whole);
	close(fds[0]);
}

static void *fill(void *fd)
{
	struct timespec little = {0, 700000};

	for (size_t size = 0; size < 65536; size += 1024) {
		if (write((int)(long)fd, data + size, 1024) != 1024)
			exit(9);
		nanosleep(&little, NULL);
	}
	return NULL;
}

static ssize_t do_recv(int fd)
{
	return recv(fd, got, 65536, MSG_WAITALL);
}

static ssize_t do_recvmsg(int fd)
{
	struct iovec parts[2] = {{got, 1000}, {got + 1000, 64536}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	return recvmsg(fd, &message, MSG_WAITALL);
}

static void check_whole(const char *name, ssize_t (*call)(int))
{
	pthread_t thread;
	ssize_t size;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		exit(9);
	memset(got, 0, SIZE);
	pthread_create(&thread, NULL, fill, (void *)(long)fds[1]);
	size = call(fds[0]);
	pthread_join(thread, NULL);
	printf("%s: %zd %d\n", name, size, memcmp(got, data, 65536) == 0);
}

static void handle(int number)
{
	(void)number;
}

/* The program's own signal does stop one. */
static void check_stopped(void)
{
	struct sigaction action = {.sa_handler = handle};
	struct itimerval once = {{0, 0}, {0, 50000}};
	ssize_t size;

	if (pipe(fds) != 0)
		exit(9);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
	size = write(fds[1], data, SIZE);
	printf("stopped: %d\n", size > 0 && size < (ssize_t)SIZE);
	setitimer(ITIMER_REAL, &once, NULL);
	size = write(fds[1], data, SIZE);
	printf("stopped: %zd %s\n", size, strerrorname_np(errno));
}

int main(void)
{
	data = malloc(SIZE);
	got = malloc(SIZE);
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i * 2654435761u >> 13);
	check("write", do_write, 0);
	check("writev", do_writev, 0);
	check("write", do_write, 1);
	check("send", do_send, 1);
	check("sendmsg", do_sendmsg, 1);
	check_whole("recv", do_recv);
	check_whole("recvmsg", do_recvmsg);
	check_stopped();
	return 5;
}
