/* idle_pool IDLE SECONDS: a pool of threads that nobody gives anything to do, and one that computes
 * for SECONDS of CPU time and sleeps as long. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define STEPS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_or_end = PTHREAD_COND_INITIALIZER;
static bool is_ended;
static double seconds;
static volatile double sum;

static void *idle(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!is_ended)
		pthread_cond_wait(&work_or_end, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static double used(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void heavy(double until)
{
	while (used() < until)
		for (int i = 0; i < 300000; i++)
			sum += 0.5 * i;
}

static void *worker(void *unused)
{
	for (int i = 1; i <= STEPS; i++) {
		heavy(seconds * i / STEPS);
		usleep((useconds_t)(1e6 * (seconds > 0 ? seconds : 0.5) / STEPS));
	}
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 9;
	pthread_t *threads = calloc((size_t)count + 1, sizeof(*threads));

	seconds = argc > 2 ? atof(argv[2]) : 0.5;
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, idle, NULL);
	pthread_create(&threads[count], NULL, worker, NULL);
	pthread_join(threads[count], NULL);
	pthread_mutex_lock(&lock);
	is_ended = true;
	pthread_cond_broadcast(&work_or_end);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
