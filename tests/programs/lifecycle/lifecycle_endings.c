/* Ends in the way that its argument names, with status 5 where it has a choice. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf out;

static void say(const char *text)
{
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

static void at_exit(void)
{
	say("handler\n");
}

static void exit_at_exit(void)
{
	say("changes its mind\n");
	exit(5);
}

static void leave_at_exit(void)
{
	_exit(5);
}

static void on_child(int number)
{
	(void)number;
	say("a child has ended\n");
}

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void *exiting(void *unused)
{
	(void)unused;
	exit(5);
}

static void *spinning(void *barrier)
{
	pthread_barrier_wait(barrier);
	for (;;)
		__asm__ volatile("" ::: "memory");
	return NULL;
}

static void *nothing(void *argument)
{
	return argument;
}

static void *creating(void *barrier)
{
	pthread_t thread;

	pthread_barrier_wait(barrier);
	for (;;)
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	return NULL;
}

static void *outliving(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	say("alone\n");
	exit(5);
}

static void with_threads(void *(*routine)(void *))
{
	static pthread_barrier_t barrier;
	pthread_attr_t detached;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 4);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, i ? &detached : NULL, routine, &barrier);
	pthread_barrier_wait(&barrier);
}

static void with_main_gone(void)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	pthread_create(&thread, NULL, outliving, &self);
	pthread_exit(NULL);
}

static int by_signal(const char *kind)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"SEGV", SIGSEGV}, {"KILL", SIGKILL}, {"TERM", SIGTERM}, {"ILL", SIGILL}};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!strcmp(kind, signals[i].name))
			raise(signals[i].number);
	return 99;
}

static int otherwise(const char *kind)
{
	if (!strcmp(kind, "handlers"))
		return atexit(at_exit), 5;
	if (!strcmp(kind, "exit_again"))
		return atexit(exit_at_exit), 3;
	if (!strcmp(kind, "leave_at_exit"))
		return atexit(leave_at_exit), 3;
	if (!strcmp(kind, "wide"))
		exit(256 + 5);
	if (!strcmp(kind, "jump_from_abort")) {
		signal(SIGABRT, jump);
		if (sigsetjmp(out, 1) == 0)
			abort();
		return 5;
	}
	if (!strcmp(kind, "hears_of_children"))
		return signal(SIGCHLD, on_child), 5;
	if (!strcmp(kind, "daemon"))
		return daemon(0, 1) < 0 ? 99 : 4; /* the streams tell when it ends */
	return by_signal(kind);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	say("begins\n");
	if (!strcmp(kind, "return"))
		return 5;
	if (!strcmp(kind, "exit"))
		exit(5);
	if (!strcmp(kind, "_exit"))
		_exit(5);
	if (!strcmp(kind, "_Exit"))
		_Exit(5);
	if (!strcmp(kind, "quick_exit"))
		at_quick_exit(at_exit), quick_exit(5);
	if (!strcmp(kind, "abort"))
		abort();
	if (!strcmp(kind, "from_thread")) {
		pthread_t thread;

		pthread_create(&thread, NULL, exiting, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(kind, "spinning_threads"))
		return with_threads(spinning), 5;
	if (!strcmp(kind, "creating_threads"))
		return with_threads(creating), 5;
	if (!strcmp(kind, "main_gone"))
		with_main_gone();
	return otherwise(kind);
}
