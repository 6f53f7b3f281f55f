/* Forks exactly while another thread that begins is given an event: system calls of the sampler
 * go through here.  To be linked with -rdynamic. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int is_armed, is_in_call, has_forked, is_running;

typedef long (*system_fn)(long number, ...);

long syscall(long number, ...)
{
	static system_fn real;
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		real = (system_fn)dlsym(RTLD_NEXT, "syscall");
	if (is_armed && number == SYS_perf_event_open) {
		is_armed = 0; /* the child gets its own */
		is_in_call = 1;
		while (!has_forked)
			sched_yield();
	}
	return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		    arguments[5]);
}

static void *begin(void *unused)
{
	is_running = 1;
	return unused;
}

int main(void)
{
	int status = -1;
	pthread_t thread;
	pid_t child;

	is_armed = 1;
	pthread_create(&thread, NULL, begin, NULL);
	while (!is_in_call && !is_running)
		sched_yield();
	child = fork();
	if (child == 0) {
		int count = 0;

		for (int i = 0; i < 3; i++)
			count += fcntl(i, F_GETFD) >= 0;
		_exit(count);
	}
	has_forked = 1;
	waitpid(child, &status, 0);
	pthread_join(thread, NULL);
	printf("%d\n", WEXITSTATUS(status));
	return 0;
}
