/* Threads that are known to wait before the program goes on: asleep, or spinning. */
#ifndef KYMO_WAITS_WAITER_H
#define KYMO_WAITS_WAITER_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct waiter {
	void (*body)(void);
	pid_t id;
	pthread_t thread;
};

static void *run_waiter(void *argument)
{
	struct waiter *waiter = argument;

	__atomic_store_n(&waiter->id, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	waiter->body();
	return NULL;
}

/* The state that the kernel tells of a thread: S = it sleeps. */
static char state_of(pid_t id)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)id);
	file = fopen(path, "r");
	if (!file)
		return '?';
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

static void start(struct waiter *waiter, void (*body)(void))
{
	waiter->body = body;
	waiter->id = 0;
	pthread_create(&waiter->thread, NULL, run_waiter, waiter);
	while (!__atomic_load_n(&waiter->id, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* Start a thread and return when it sleeps in what body calls. */
static void start_until_it_sleeps(struct waiter *waiter, void (*body)(void))
{
	start(waiter, body);
	while (state_of(waiter->id) != 'S')
		sched_yield();
}

static long used_ns(pthread_t thread)
{
	struct timespec time = {0, 0};
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) == 0)
		clock_gettime(clock, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* The same for what does not sleep: when it has used some more of its time. */
static void start_until_it_spins(struct waiter *waiter, void (*body)(void))
{
	long from;

	start(waiter, body);
	from = used_ns(waiter->thread);
	while (used_ns(waiter->thread) < from + 3000000)
		sched_yield();
}

#endif
