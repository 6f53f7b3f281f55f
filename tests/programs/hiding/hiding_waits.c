/* Calls that a signal ends: with a limit, with a signal of the program's own, and with very
 * many of those.  Prints what each of them answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS 20
#define LONG_S	 1000

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

struct kind {
	const char *name;
	long (*call)(int time);
};

static const struct kind limited[] = {
	{"poll", do_poll},
	{"ppoll", do_ppoll},
	{"select", do_select},
	{"pselect", do_pselect},
	{"epoll_wait", do_epoll_wait},
	{"epoll_pwait", do_epoll_pwait},
	{"epoll_pwait2", do_epoll_pwait2},
	{"nanosleep", do_nanosleep},
	{"clock_nanosleep", do_clock_monotonic},
	{"clock_nanosleep until", do_clock_until},
	{"clock_nanosleep wall until", do_clock_wall_until},
	{"clock_nanosleep boot", do_clock_boot},
	{"usleep", do_usleep},
	{"thrd_sleep", do_thrd_sleep},
	{"sigtimedwait", do_sigtimedwait},
	{"semtimedop", do_semtimedop},
	{"sem_timedwait", do_sem_timedwait},
	{"sem_clockwait", do_sem_clockwait},
	{"recv", do_recv},
	{"read", do_read},
	{"recvmsg", do_recvmsg},
	{"accept", do_accept},
	{"pthread_cond_timedwait", do_cond_timedwait},
	{"send", do_send}, /* the last: it fills the socket */
};

static const struct kind endless[] = {
	{"pause", do_pause},
	{"sigsuspend", do_sigsuspend},
	{"poll endless", do_poll_endless},
	{"select endless", do_select_endless},
	{"epoll_wait endless", do_epoll_endless},
	{"clock_nanosleep for ever", do_clock_for_ever},
	{"sigwaitinfo", do_sigwaitinfo},
	{"semop", do_semop},
	{"msgrcv", do_msgrcv},
	{"msgsnd", do_msgsnd},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void say(const char *name, long result)
{
	printf("%s: %ld %s\n", name, result, result < 0 ? strerrorname_np(errno) : "-");
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void run_limits(void)
{
	for (size_t i = 0; i < COUNT(limited); i++) {
		int64_t begin = now_us(), took;
		long result;

		errno = 0;
		result = limited[i].call(LIMIT_MS);
		took = now_us() - begin;
		say(limited[i].name, result);
		if (took < LIMIT_MS * 1000 - 2000)
			printf("    after %d us\n", (int)took);
	}
	printf("usleep: %d\n", usleep(LIMIT_MS * 1000));
}

static void handle(int number)
{
	(void)number;
	handled++;
}

static void alarm_in(int time, int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
	struct itimerval once = {{0, 0}, {0, time * 1000}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &once, NULL);
}

static void run_kind(const struct kind *kind, int flags)
{
	long result;
	int had = handled;

	rest = (struct timespec){0, 0};
	alarm_in(20, flags);
	result = kind->call(LONG_S * 1000);
	say(kind->name, result);
	printf("    handled %d, rest %d\n", handled - had,
	       rest.tv_sec >= LONG_S - 100 && rest.tv_sec < LONG_S);
}

static void run_handlers(void)
{
	for (int pass = 0; pass < 2; pass++) {
		int flags = pass ? SA_RESTART : 0;

		printf("flags %x\n", flags);
		for (size_t i = 0; i < COUNT(endless); i++)
			run_kind(&endless[i], flags);
		for (size_t i = 0; i < COUNT(limited) - 2; i++)
			run_kind(&limited[i], flags);
		alarm_in(20, flags);
		printf("sleep: %d\n", sleep(LONG_S) >= LONG_S - 100);
	}
	run_kind(&(struct kind){"read of a pipe", do_read_pipe}, 0);
}

/* A signal comes exactly when this thread waits: each one ends a call. */
struct shared {
	volatile int wanted, is_over;
};

static int is_asleep(pid_t process)
{
	char path[64], text[256];
	const char *state;
	int fd;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	fd = open(path, O_RDONLY);
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return 0;
	text[size] = '\0';
	state = strrchr(text, ')');
	return state && state[2] == 'S';
}

static void wake(struct shared *shared, pid_t process)
{
	int had = 0;

	while (!shared->is_over) {
		while (!shared->is_over && shared->wanted == had)
			sched_yield();
		while (!shared->is_over && !is_asleep(process))
			;
		had = shared->wanted;
		if (!shared->is_over)
			kill(process, SIGALRM);
	}
	_exit(0);
}

static void run_wakes(int count)
{
	static const struct kind exact[] = {
		{"pause", do_pause},
		{"sigsuspend", do_sigsuspend},
		{"poll", do_poll_endless},
		{"select", do_select_endless},
		{"epoll", do_epoll_endless},
		{"ppoll", do_ppoll},
		{"nanosleep", do_nanosleep},
		{"clock_nanosleep until", do_clock_until},
		{"clock_nanosleep boot", do_clock_boot},
		{"sigtimedwait", do_sigtimedwait},
		{"semop", do_semop},
		{"msgrcv", do_msgrcv},
		{"sem_timedwait", do_sem_timedwait},
		{"recv", do_recv},
	};
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = {.sa_handler = handle};
	pid_t child;

	sigaction(SIGALRM, &action, NULL);
	child = fork();
	if (child == 0)
		wake(shared, getppid());
	for (size_t i = 0; i < COUNT(exact); i++) {
		int had = handled, ended = 0;

		for (int n = 0; n < count; n++) {
			shared->wanted++;
			ended += exact[i].call(LONG_S * 1000) == -1 && errno == EINTR;
		}
		printf("%s: %d ended, %d handled\n", exact[i].name, ended, handled - had);
	}
	shared->is_over = 1;
	waitpid(child, NULL, 0);
}

static void prepare(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (pipe(pipe_fd) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd) != 0)
		exit(9);
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_fd[0], &event);
	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, 1, 0600);
	sem_init(&semaphore, 0, 0);
	sigfillset(&all);
	sigemptyset(&none);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	prepare();
	if (!strcmp(what, "limits"))
		run_limits();
	else if (!strcmp(what, "handlers"))
		run_handlers();
	else if (!strcmp(what, "wakes"))
		run_wakes(3000);
	msgctl(queue, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
	return 5;
}
