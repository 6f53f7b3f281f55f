/* Calls that a signal ends: with a limit, with a signal of the program's own, and with very
 * many of those.  Prints what each of them answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hiding_calls.h"

#define LIMIT_MS 20
#define LONG_S	 1000

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
