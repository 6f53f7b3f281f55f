/* Waits in one call after the other, with another thread beside, so that the C library can
 * cancel them; in one whose number it hands on, too. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS	 100
#define NOINLINE __attribute__((noinline))
#define NO_TAIL	 __asm__ volatile("")

static int pipe_fd[2];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const struct timespec length = {0, MS * 1000000};

static struct timespec from_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_nsec += MS * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

NOINLINE void in_poll(void)
{
	struct pollfd fd = {pipe_fd[0], POLLIN, 0};

	poll(&fd, 1, MS);
	NO_TAIL;
}

NOINLINE void in_ppoll(void)
{
	struct pollfd fd = {pipe_fd[0], POLLIN, 0};

	ppoll(&fd, 1, &length, NULL);
	NO_TAIL;
}

NOINLINE void in_select(void)
{
	struct timeval time = {0, MS * 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pipe_fd[0], &set);
	select(pipe_fd[0] + 1, &set, NULL, NULL, &time);
	NO_TAIL;
}

NOINLINE void in_epoll(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(fd, EPOLL_CTL_ADD, pipe_fd[0], &event);
	epoll_wait(fd, &event, 1, MS);
	close(fd);
}

NOINLINE void in_nanosleep(void)
{
	nanosleep(&length, NULL);
	NO_TAIL;
}

NOINLINE void in_semaphore(void)
{
	struct timespec end = from_now();

	sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end);
	NO_TAIL;
}

NOINLINE void in_condition(void)
{
	struct timespec end = from_now();

	pthread_mutex_lock(&mutex);
	pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end);
	pthread_mutex_unlock(&mutex);
}

NOINLINE void in_syscall(void)
{
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &length, NULL);
	NO_TAIL;
}

NOINLINE void *in_pause(void *unused)
{
	pause();
	NO_TAIL;
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pipe(pipe_fd) < 0 || sem_init(&semaphore, 0, 0) < 0 ||
	    pthread_create(&thread, NULL, in_pause, NULL) != 0)
		return 1;
	in_poll();
	in_ppoll();
	in_select();
	in_epoll();
	in_nanosleep();
	in_semaphore();
	in_condition();
	in_syscall();
	return 0;
}
