/* Microseconds of wall time of a pthread_create(), and of that with the pthread_join(): the
 * medians over batches. */
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
	double created[BATCHES], joined[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		double from = now_us(), creating = 0;

		for (int i = 0; i < THREADS; i++) {
			double before = now_us();
			pthread_t thread;
			int result = pthread_create(&thread, NULL, body, NULL);

			creating += now_us() - before;
			if (result == 0)
				pthread_join(thread, NULL);
		}
		joined[batch] = (now_us() - from) / THREADS;
		created[batch] = creating / THREADS;
	}
	qsort(created, BATCHES, sizeof(*created), compare);
	qsort(joined, BATCHES, sizeof(*joined), compare);
	printf("%.2f %.2f\n", created[BATCHES / 2], joined[BATCHES / 2]);
	return 0;
}
