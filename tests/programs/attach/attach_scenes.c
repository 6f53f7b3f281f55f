/* Programs that are not easy to be instrumented while they run:
 *
 *   forks            children all the time, which make calls and end
 *   libraries FILE   a library is loaded, called and unloaded all the time
 *   crowd            200 threads, nearly all of them asleep
 *   waits            threads in system calls that nothing ends
 *   alone            one thread, nearly always in a system call
 *   ends             ends by itself, soon
 *
 * Until a byte comes on standard input; then "fine" and status 7, when nothing was disturbed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CROWD 200
#define LONG  3600 /* seconds: nobody waits for them */

static volatile bool must_end;
static volatile int faults;

__attribute__((noinline)) int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 7 + 1;
}

__attribute__((noinline)) int work(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += leaf(sum & 255);
	return sum;
}

static bool has_line(int patience_ms)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, patience_ms) > 0;
}

static void fault(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	__atomic_add_fetch(&faults, 1, __ATOMIC_SEQ_CST);
}

static void nap(long microseconds)
{
	const struct timespec pause = {0, microseconds * 1000};

	if (nanosleep(&pause, NULL) != 0)
		fault("nanosleep");
}

static void begin(pthread_t *thread, void *(*function)(void *))
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	if (pthread_create(thread, &attributes, function, NULL) != 0)
		abort();
	pthread_attr_destroy(&attributes);
}

static void tell_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void fork_one(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(work() ? 3 : 0);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		fault("a child");
	work();
}

static void load_one(const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	int (*twice)(int) = library ? (int (*)(int))(uintptr_t)dlsym(library, "twice") : NULL;

	if (!twice || twice(work()) == 1)
		fault("a library");
	if (library)
		dlclose(library);
}

static void *be_in_crowd(void *unused)
{
	(void)unused;
	while (!must_end) {
		work();
		nap(20000);
	}
	return NULL;
}

static void make_crowd(void)
{
	static pthread_t threads[CROWD];

	for (int i = 0; i < CROWD; i++)
		begin(&threads[i], be_in_crowd);
	tell_ready();
	while (!has_line(-1))
		continue;
	must_end = true;
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
}

static int pipes[2], sockets[2], events;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *wait_for_pipe(void *unused)
{
	char byte;

	if (read(pipes[0], &byte, 1) != 1)
		fault("read");
	return unused;
}

static void *wait_for_socket(void *unused)
{
	char byte;

	if (recv(sockets[0], &byte, 1, 0) != 1)
		fault("recv");
	return unused;
}

static void *wait_for_event(void *unused)
{
	struct epoll_event event;

	if (epoll_wait(events, &event, 1, -1) != 1)
		fault("epoll_wait");
	return unused;
}

static void *wait_for_condition(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!must_end)
		pthread_cond_wait(&never, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* vfork(): nothing stops a parent whose child runs. */
static void *wait_for_child(void *unused)
{
	while (!must_end) {
		pid_t child = vfork();
		int status;

		if (child == 0) {
			const struct timespec pause = {0, 3000000};

			syscall(SYS_nanosleep, &pause, NULL);
			_exit(5);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5)
			fault("vfork");
		work();
	}
	return unused;
}

/* It ends with the process. */
static void *sleep_long(void *unused)
{
	const struct timespec pause = {LONG, 0};

	nanosleep(&pause, NULL);
	fault("a long sleep");
	return unused;
}

static void make_waits(void)
{
	void *(*const ways[])(void *) = {wait_for_pipe, wait_for_socket, wait_for_event,
					 wait_for_condition, wait_for_child};
	pthread_t threads[sizeof(ways) / sizeof(*ways)], sleeper;
	struct epoll_event event = {.events = EPOLLIN};

	events = epoll_create1(EPOLL_CLOEXEC);
	if (pipe(pipes) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 ||
	    epoll_ctl(events, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0)
		abort();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		begin(&threads[i], ways[i]);
	begin(&sleeper, sleep_long);
	tell_ready();
	while (!has_line(1))
		work();
	pthread_mutex_lock(&mutex);
	must_end = true;
	pthread_cond_broadcast(&never);
	pthread_mutex_unlock(&mutex);
	if (write(pipes[1], "x", 1) != 1 || send(sockets[1], "x", 1, 0) != 1)
		fault("write");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		pthread_join(threads[i], NULL);
}

static int finish(void)
{
	puts(faults ? "disturbed" : "fine");
	return faults ? 1 : 7;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	if (strcmp(scene, "crowd") == 0) {
		make_crowd();
		return finish();
	}
	if (strcmp(scene, "waits") == 0) {
		make_waits();
		return finish();
	}
	tell_ready();
	for (int i = 0; strcmp(scene, "ends") != 0 || i < 50; i++) {
		if (strcmp(scene, "forks") == 0)
			fork_one();
		else if (strcmp(scene, "libraries") == 0)
			load_one(argv[2]);
		else
			nap(1000);
		work();
		if (has_line(0))
			break;
	}
	return finish();
}
