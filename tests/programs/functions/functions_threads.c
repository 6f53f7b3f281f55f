/* Threads: begun in constructors, ended in every way, and what runs at their ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))
#define THREADS	 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total; /* of what threads computed: their order says nothing */

static NOINLINE uint64_t work(int depth, uint64_t value)
{
	return depth == 0 ? value : work(depth - 1, value * 31 + 7) ^ (uint64_t)depth;
}

static NOINLINE void add(uint64_t value)
{
	pthread_mutex_lock(&lock);
	total += value;
	pthread_mutex_unlock(&lock);
}

static NOINLINE uint64_t taken(void)
{
	uint64_t was;

	pthread_mutex_lock(&lock);
	was = total;
	total = 0;
	pthread_mutex_unlock(&lock);
	return was;
}

static pthread_t early[4];
static uint64_t early_results[4];

static void *early_work(void *number)
{
	for (int i = 0; i < 2000; i++)
		*(uint64_t *)number += work(i % 40, (uint64_t)i);
	return NULL;
}

__attribute__((constructor)) static void start_early(void)
{
	for (int i = 0; i < 4; i++)
		pthread_create(&early[i], NULL, early_work, &early_results[i]);
}

static void play_early(void)
{
	static int is_over;

	for (int i = 0; i < 4 && !is_over; i++)
		pthread_join(early[i], NULL);
	is_over = 1;
	for (int i = 0; i < 4; i++)
		mix(early_results[i]);
}

static void clean_up(void *value)
{
	add(work(5, *(uint64_t *)value));
}

static NOINLINE void end_deep(int depth, uint64_t value)
{
	pthread_cleanup_push(clean_up, &value);
	if (depth == 0)
		pthread_exit((void *)(uintptr_t)work(3, value));
	end_deep(depth - 1, value + 1);
	pthread_cleanup_pop(0);
}

static void *ends(void *number)
{
	end_deep((int)(uintptr_t)number % 20, (uintptr_t)number);
	return NULL;
}

static void play_exits(void)
{
	pthread_t threads[THREADS];
	void *result;

	for (int round = 0; round < 10; round++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, ends, (void *)i);
		for (int i = 0; i < THREADS; i++) {
			pthread_join(threads[i], &result);
			mix((uintptr_t)result);
		}
	}
	mix(taken());
}

static sem_t ready;

static NOINLINE void wait_deep(int depth, uint64_t value)
{
	pthread_cleanup_push(clean_up, &value);
	if (depth == 0) {
		sem_post(&ready);
		for (;;)
			pause();
	}
	wait_deep(depth - 1, value * 3);
	pthread_cleanup_pop(1);
}

static void *waits(void *number)
{
	wait_deep((int)(uintptr_t)number, (uintptr_t)number);
	return NULL;
}

static void *works_on(void *number)
{
	uint64_t value = (uintptr_t)number;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean_up, &value);
	sem_post(&ready);
	for (;;)
		work(30, 1);
	pthread_cleanup_pop(0);
	return NULL;
}

static void play_cancels(void)
{
	pthread_t threads[THREADS];
	void *result;

	sem_init(&ready, 0, 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, i % 2 ? waits : works_on, (void *)i);
	for (int i = 0; i < THREADS; i++)
		sem_wait(&ready);
	for (int i = 0; i < THREADS; i++)
		pthread_cancel(threads[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		mix(result == PTHREAD_CANCELED);
	}
	mix(taken());
}

static pthread_key_t keys[4];
static tss_t standard_key;

static void at_end(void *value)
{
	uintptr_t left = (uintptr_t)value;

	add(work((int)left, left));
	if (left > 1)
		pthread_setspecific(keys[left % 4], (void *)(left - 1));
}

static void *has_values(void *number)
{
	for (uintptr_t i = 0; i < 4; i++)
		pthread_setspecific(keys[i], (void *)(4 + i));
	tss_set(standard_key, (void *)3);
	add(work(10, (uintptr_t)number));
	return NULL;
}

static void play_late(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < 4; i++)
		pthread_key_create(&keys[i], at_end);
	tss_create(&standard_key, at_end);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, has_values, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	mix(taken());
}

static volatile sig_atomic_t wrong;

static void on_signal(int signal)
{
	(void)signal;
	if (work(10, 3) != work(10, 3))
		wrong = 1;
}

static void *works(void *number)
{
	uint64_t sum = 0;

	for (int i = 0; i < 3000; i++)
		sum += work(i % 30, (uintptr_t)number);
	add(sum);
	return NULL;
}

static void play_crowd(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t threads[THREADS];

	sigaction(SIGUSR1, &action, NULL);
	for (int round = 0; round < 4; round++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, works, (void *)i);
		for (int i = 0; i < 200; i++)
			pthread_kill(threads[i % THREADS], SIGUSR1);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		mix(taken());
	}
	mix((uint64_t)wrong);
}

static void *nothing(void *value)
{
	return value;
}

static void play_many(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (uintptr_t i = 0; i < 1000; i++) {
		pthread_create(&thread, &attributes, nothing, (void *)i);
		pthread_join(thread, &result);
		mix((uintptr_t)result);
	}
	pthread_attr_destroy(&attributes);
}

static const struct scene scenes[] = {
	{"early", play_early}, {"exits", play_exits}, {"cancels", play_cancels},
	{"late", play_late},   {"crowd", play_crowd}, {"many", play_many},
};

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}
