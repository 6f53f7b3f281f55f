/* Programs whose shares are known: each part measures its own time, which is printed at the
 * end as "NAME SECONDS".  Usage: truth MODE SECONDS [cpu]: by wall time, or by the thread's CPU
 * time */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARTS_MAX 50

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static clockid_t parts_clock = CLOCK_MONOTONIC;

static double now_of_parts(void)
{
	struct timespec time;

	clock_gettime(parts_clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static volatile uint64_t sink;

/* The same work under another name: nothing is inlined, nothing shared. */
#define PART(name)                                                                                 \
	__attribute__((noinline, noclone)) static void name(unsigned rounds)                       \
	{                                                                                          \
		uint64_t value = rounds;                                                           \
                                                                                                   \
		for (unsigned i = 0; i < rounds; i++) {                                            \
			value ^= value << 13;                                                      \
			value ^= value >> 7;                                                       \
			value ^= value << 17;                                                      \
			__asm__ volatile("" : "+r"(value)::"memory");                              \
		}                                                                                  \
		sink = value;                                                                      \
		__asm__ volatile("" ::"i"(name) : "memory");                                       \
	}

#define TEN(prefix)                                                                                \
	PART(prefix##0)                                                                            \
	PART(prefix##1)                                                                            \
	PART(prefix##2)                                                                            \
	PART(prefix##3)                                                                            \
	PART(prefix##4)                                                                            \
	PART(prefix##5)                                                                            \
	PART(prefix##6)                                                                            \
	PART(prefix##7)                                                                            \
	PART(prefix##8)                                                                            \
	PART(prefix##9)

TEN(part_0)
TEN(part_1)
TEN(part_2)
TEN(part_3)
TEN(part_4)

#define NAMES(prefix)                                                                              \
	prefix##0, prefix##1, prefix##2, prefix##3, prefix##4, prefix##5, prefix##6, prefix##7,    \
		prefix##8, prefix##9

static void (*const parts[PARTS_MAX])(unsigned) = {
	NAMES(part_0), NAMES(part_1), NAMES(part_2), NAMES(part_3), NAMES(part_4),
};

struct plan {
	unsigned count;
	unsigned rounds[PARTS_MAX]; /* of each part, in turns */
};

struct run {
	const struct plan *plan;
	double seconds;
	double spent[PARTS_MAX];
};

static void *work(void *argument)
{
	struct run *run = argument;
	double end = now() + run->seconds, before = now_of_parts();

	while (now() < end) {
		for (unsigned i = 0; i < run->plan->count; i++) {
			double after;

			parts[i](run->plan->rounds[i]);
			after = now_of_parts();
			run->spent[i] += after - before;
			before = after;
		}
	}
	return NULL;
}

static void print(const struct run *run)
{
	for (unsigned i = 0; i < run->plan->count; i++)
		printf("part_%02u %.9f\n", i, run->spent[i]);
}

static void one_thread(const struct plan *plan, double seconds)
{
	struct run run = {.plan = plan, .seconds = seconds};

	work(&run);
	print(&run);
}

static void *sleeper(void *argument)
{
	double seconds = *(double *)argument, begin = now();

	while (now() - begin < seconds) {
		struct timespec pause = {0, 20000000};

		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void spin_and_sleep(double seconds)
{
	static const struct plan plan = {1, {50000}};
	struct run run = {.plan = &plan, .seconds = seconds};
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, sleeper, &seconds);
	pthread_create(&threads[1], NULL, work, &run);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	print(&run);
}

/* Seconds that this thread could have run and had no processor; 0 where the kernel does not say. */
static double kept_waiting(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	double delay_ns = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*f %lf", &delay_ns) != 1)
		delay_ns = 0;
	fclose(file);
	return delay_ns * 1e-9;
}

/* Sleep and work in turns, so many ms each. */
static void turns(double seconds, unsigned sleep_ms, unsigned work_ms)
{
	double end = now() + seconds, slept = 0, worked = 0, used = 0, delayed = kept_waiting();

	while (now() < end) {
		struct timespec pause = {0, (long)sleep_ms * 1000000};
		double before = now(), woken, cpu;

		nanosleep(&pause, NULL);
		woken = now();
		cpu = now_of_parts();
		while (now_of_parts() - cpu < 1e-3 * work_ms)
			part_00(20000);
		used += now_of_parts() - cpu;
		slept += woken - before;
		worked += now() - woken;
	}
	printf("slept %.9f\nworked %.9f\nused %.9f\ndelayed %.9f\n", slept, worked, used,
	       kept_waiting() - delayed);
}

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static double convoy_end;

/* One has the lock, the others stand behind it. */
static void *convoy(void *argument)
{
	double waited = 0;

	(void)argument;
	while (now() < convoy_end) {
		double before = now();

		pthread_mutex_lock(&table_lock);
		waited += now() - before;
		part_00(300000);
		pthread_mutex_unlock(&table_lock);
	}
	return memcpy(malloc(sizeof(waited)), &waited, sizeof(waited));
}

static void lock_convoy(double seconds)
{
	pthread_t threads[3];
	double waited = 0;

	convoy_end = now() + seconds;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, convoy, NULL);
	for (int i = 0; i < 3; i++) {
		void *result;

		pthread_join(threads[i], &result);
		waited += *(double *)result;
		free(result);
	}
	printf("waited %.9f\n", waited);
}

int main(int argc, char **argv)
{
	static const struct plan two_to_one = {2, {40000, 20000}}, ninety = {2, {90000, 10000}},
				 bursts = {3, {2000, 300, 700}};
	struct plan fifty = {.count = PARTS_MAX};
	const char *mode = argc > 2 ? argv[1] : "";
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;

	if (argc > 3)
		parts_clock = CLOCK_THREAD_CPUTIME_ID;
	for (unsigned i = 0; i < PARTS_MAX; i++)
		fifty.rounds[i] = 500 * (i + 1);
	if (strcmp(mode, "two") == 0)
		one_thread(&two_to_one, seconds);
	else if (strcmp(mode, "ninety") == 0)
		one_thread(&ninety, seconds);
	else if (strcmp(mode, "bursts") == 0)
		one_thread(&bursts, seconds);
	else if (strcmp(mode, "fifty") == 0)
		one_thread(&fifty, seconds);
	else if (strcmp(mode, "threads") == 0)
		spin_and_sleep(seconds);
	else if (strcmp(mode, "naps") == 0)
		turns(seconds, 15, 5);
	else if (strcmp(mode, "winks") == 0)
		turns(seconds, 2, 1);
	else if (strcmp(mode, "convoy") == 0)
		lock_convoy(seconds);
	else
		return 2;
	return 0;
}
