/* Threads that end late, never, by force, with little stack, or are many. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MANY 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t done;
static long count;
static int is_waiting, cleaned;

static void *add(void *argument)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return argument;
}

static void *forever(void *argument)
{
	sem_post(&done);
	for (;;)
		add(argument);
	return NULL;
}

static void start(void *(*body)(void *), int number)
{
	pthread_t thread;

	for (int i = 0; i < number; i++) {
		pthread_create(&thread, NULL, body, NULL);
		pthread_detach(thread);
	}
	for (int i = 0; i < number; i++)
		sem_wait(&done);
}

static void *late(void *main_thread)
{
	void *value;
	int result = pthread_join(*(pthread_t *)main_thread, &value);

	add(NULL);
	printf("after main: %d %s %ld\n", result, (char *)value, count);
	return NULL;
}

/* main ends, another thread runs on and ends the process. */
static void outlive(void)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	pthread_create(&thread, NULL, late, &self);
	pthread_exit("the value of main");
}

static void *detached(void *argument)
{
	pthread_detach(pthread_self());
	prctl(PR_SET_NAME, "detached one");
	add(argument);
	sem_post(&done);
	return NULL;
}

static long counted(void)
{
	long now;

	pthread_mutex_lock(&lock);
	now = count;
	pthread_mutex_unlock(&lock);
	return now;
}

static void detach(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 100; i++) {
		if (i % 2)
			pthread_create(&thread, NULL, detached, NULL);
		else
			pthread_create(&thread, &attributes, add, NULL);
	}
	for (int i = 0; i < 50; i++)
		sem_wait(&done);
	while (counted() < 100)
		sched_yield();
	printf("%ld detached\n", counted());
}

static void unlock(void *argument)
{
	cleaned++;
	pthread_mutex_unlock(argument);
}

static void *wait_condition(void *argument)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	is_waiting = 1;
	for (;;)
		pthread_cond_wait(&changed, &lock);
	pthread_cleanup_pop(1);
	return argument;
}

static void *wait_until(void *argument)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 1000;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	is_waiting = 1;
	for (;;)
		pthread_cond_timedwait(&changed, &lock, &end);
	pthread_cleanup_pop(1);
	return argument;
}

static void *sleeper(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void *wait_thread(void *argument)
{
	is_waiting = 1;
	pthread_join(*(pthread_t *)argument, NULL);
	return NULL;
}

static void cancel(pthread_t thread, const char *name)
{
	void *value;
	int result;

	pthread_mutex_lock(&lock);
	while (!is_waiting) {
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
	}
	is_waiting = 0;
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	result = pthread_join(thread, &value);
	printf("%s: %d %d cleaned %d\n", name, result, value == PTHREAD_CANCELED, cleaned);
	/* Nobody holds the lock. */
	printf("%d", pthread_mutex_trylock(&lock));
	printf(" %d\n", pthread_mutex_unlock(&lock));
}

static void cancels(void)
{
	pthread_t thread, target;

	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, wait_condition, NULL);
		cancel(thread, "wait");
		pthread_create(&thread, NULL, wait_until, NULL);
		cancel(thread, "timedwait");
		pthread_create(&target, NULL, sleeper, NULL);
		pthread_create(&thread, NULL, wait_thread, &target);
		cancel(thread, "join");
		pthread_cancel(target);
		printf("target: %d\n", pthread_join(target, NULL));
	}
}

static void *compute(void *argument)
{
	volatile unsigned long sum = 0;

	add(NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n(&is_waiting, 1, __ATOMIC_RELEASE);
	for (;;)
		sum++;
	return argument;
}

static void *exit_below(void *argument)
{
	add(NULL);
	pthread_exit(argument);
}

static void forced_ends(void)
{
	for (int i = 0; i < 50; i++) {
		pthread_t thread;
		void *value;

		pthread_create(&thread, NULL, compute, NULL);
		while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE))
			sched_yield();
		is_waiting = 0;
		pthread_cancel(thread);
		pthread_join(thread, &value);
		if (value != PTHREAD_CANCELED)
			printf("not cancelled\n");
		pthread_create(&thread, NULL, exit_below, &value);
		pthread_join(thread, &value);
		if (value != &value)
			printf("another value\n");
	}
	printf("%ld ended by force\n", count);
}

static void *wait_all(void *argument)
{
	add(argument);
	pthread_barrier_wait(&barrier);
	add(argument);
	return argument;
}

static void many(void)
{
	static pthread_t threads[MANY];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	pthread_barrier_init(&barrier, NULL, MANY + 1);
	for (int i = 0; i < MANY; i++)
		if (pthread_create(&threads[i], &attributes, wait_all, NULL) != 0)
			printf("no thread\n");
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", count);
}

/* The smallest stack that there may be. */
static void small(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	printf("%d\n", pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 50; i++) {
		pthread_t threads[2];

		for (int j = 0; j < 2; j++)
			printf("%d", pthread_create(&threads[j], &attributes, wait_all, NULL));
		for (int j = 0; j < 2; j++)
			printf("%d", pthread_join(threads[j], NULL));
	}
	printf("\n%ld\n", count);
}

/* The thread ends the process while main waits for it. */
static void *end_process(void *argument)
{
	exit(6);
	return argument;
}

static void *end_process_now(void *argument)
{
	_exit(7);
	return argument;
}

static void ended_by(void *(*body)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
	printf("never reached\n");
}

static void keys(void)
{
	pthread_key_t key, last = 0;

	while (pthread_key_create(&key, free) == 0)
		last = key;
	for (int i = 0; i < 10; i++)
		add(NULL);
	printf("%d\n", pthread_setspecific(last, strdup("text")));
	start(detached, 10);
	printf("%ld\n", count);
}

static int run(const char *kind)
{
	sem_init(&done, 0, 0);
	if (!strcmp(kind, "outlive"))
		outlive();
	else if (!strcmp(kind, "forever"))
		start(forever, 3);
	else if (!strcmp(kind, "detached"))
		detach();
	else if (!strcmp(kind, "cancelled"))
		cancels();
	else if (!strcmp(kind, "forced"))
		forced_ends();
	else if (!strcmp(kind, "many"))
		many();
	else if (!strcmp(kind, "small"))
		small();
	else if (!strcmp(kind, "exit"))
		ended_by(end_process);
	else if (!strcmp(kind, "exit_now"))
		ended_by(end_process_now);
	else if (!strcmp(kind, "keys"))
		keys();
	else
		return 2;
	return 5;
}

int main(int argument_count, char **arguments)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	return argument_count > 1 ? run(arguments[1]) : 2;
}
