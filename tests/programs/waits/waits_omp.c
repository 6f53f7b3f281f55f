/* An OpenMP program: its own barriers and locks, and a mutex of the program's. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	long sum = 0, critical = 0, omp_locked = 0, locked = 0;
	omp_lock_t lock;

	omp_init_lock(&lock);
	for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel for reduction(+ : sum) num_threads(4)
		for (int i = 0; i < 1000; i++) {
			sum += i;
			pthread_mutex_lock(&mutex);
			locked++;
			pthread_mutex_unlock(&mutex);
#pragma omp critical
			critical++;
			omp_set_lock(&lock);
			omp_locked++;
			omp_unset_lock(&lock);
		}
	}
	printf("%ld %ld %ld %ld\n", sum, critical, omp_locked, locked);
	return 5;
}
