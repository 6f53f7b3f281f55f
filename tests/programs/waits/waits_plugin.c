/* A library whose constructor waits for a thread that waits for a lock: all of it while the
 * loader's own lock is held. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t plugin_mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t waiter;

static void *lock(void *argument)
{
	__atomic_store_n(&waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	pthread_mutex_lock(&plugin_mutex);
	pthread_mutex_unlock(&plugin_mutex);
	return argument;
}

static int sleeps(pid_t id)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)id);
	file = id ? fopen(path, "r") : NULL;
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, ") S ") != NULL;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	pthread_mutex_lock(&plugin_mutex);
	pthread_create(&thread, NULL, lock, NULL);
	while (!sleeps(__atomic_load_n(&waiter, __ATOMIC_ACQUIRE)))
		sched_yield();
	pthread_mutex_unlock(&plugin_mutex);
	pthread_join(thread, NULL);
	puts("begun");
}
