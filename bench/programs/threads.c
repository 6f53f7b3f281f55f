/* Microseconds of wall time of a pthread_create() and pthread_join(): the median over
 * batches. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 31
#define THREADS 100

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *body(void *argument)
{
	return argument;
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

int main(void)
{
	double batches[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		double from = now_us();

		for (int i = 0; i < THREADS; i++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, body, NULL) == 0)
				pthread_join(thread, NULL);
		}
		batches[batch] = (now_us() - from) / THREADS;
	}
	qsort(batches, BATCHES, sizeof(*batches), compare);
	printf("%.2f\n", batches[BATCHES / 2]);
	return 0;
}
