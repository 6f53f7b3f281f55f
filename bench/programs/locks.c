/* Nanoseconds of CPU time of locks that nobody waits for, lock and unlock: alone in the
 * process, then beside another thread.  Prints name and number a line. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TURNS  15
#define PASSES 50000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define MEASURE(name, body)                                                                        \
	do {                                                                                       \
		double best = 0;                                                                   \
		for (int turn = 0; turn < TURNS; turn++) {                                         \
			double from = now_ns(), passed;                                            \
			for (int pass = 0; pass < PASSES; pass++) {                                \
				body;                                                              \
			}                                                                          \
			passed = (now_ns() - from) / PASSES;                                       \
			if (best == 0 || passed < best)                                            \
				best = passed;                                                     \
		}                                                                                  \
		printf("%s%s %.2f\n", name, beside, best);                                         \
	} while (0)

static void measure(const char *beside)
{
	MEASURE("mutex", pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex));
	MEASURE("mutex,try", pthread_mutex_trylock(&mutex); pthread_mutex_unlock(&mutex));
	MEASURE("rwlock,read", pthread_rwlock_rdlock(&table); pthread_rwlock_unlock(&table));
	MEASURE("rwlock,write", pthread_rwlock_wrlock(&table); pthread_rwlock_unlock(&table));
	MEASURE("spinlock", pthread_spin_lock(&spin); pthread_spin_unlock(&spin));
}

static void *wait_for_end(void *argument)
{
	pause();
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	measure("");
	pthread_create(&thread, NULL, wait_for_end, NULL);
	measure(",threaded");
	fflush(stdout);
	_exit(0);
}
