/* Functions that wait in several ways, in several threads: what they waited is in their time. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define APART	__attribute__((noinline))
#define THREADS 3
#define MOMENT	20000 /* microseconds */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gone = PTHREAD_COND_INITIALIZER;
static int turns;
static volatile int sink;

APART void wait_turn(int turn)
{
	pthread_mutex_lock(&lock);
	while (turns < turn)
		pthread_cond_wait(&gone, &lock);
	pthread_mutex_unlock(&lock);
}

APART void wait_again(int turn)
{
	pthread_mutex_lock(&lock);
	while (turns < turn)
		pthread_cond_wait(&gone, &lock);
	pthread_mutex_unlock(&lock);
}

APART void next_turn(void)
{
	usleep(MOMENT);
	pthread_mutex_lock(&lock);
	turns++;
	pthread_cond_broadcast(&gone);
	pthread_mutex_unlock(&lock);
}

APART void works(void)
{
	wait_turn(3);
	wait_again(6);
	wait_turn(7);
	sink++; /* it does not end in what it calls */
}

APART void *begins(void *unused)
{
	works();
	return unused;
}

APART void ends(void)
{
	exit(0);
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, begins, NULL);
	for (int i = 0; i < 7; i++)
		next_turn();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ends();
}
