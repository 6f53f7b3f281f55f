/* Threads that are joined, and conditions on the heap: as many addresses as there are of them. */
#include <pthread.h>
#include <stdlib.h>

#define THREADS 6

struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t opened;
	int is_open;
};

static void *pass(void *context)
{
	struct gate *gate = context;

	pthread_mutex_lock(&gate->mutex);
	while (!gate->is_open)
		pthread_cond_wait(&gate->opened, &gate->mutex);
	pthread_mutex_unlock(&gate->mutex);
	return NULL;
}

static void open_gate(struct gate *gate)
{
	pthread_mutex_lock(&gate->mutex);
	gate->is_open = 1;
	pthread_cond_signal(&gate->opened);
	pthread_mutex_unlock(&gate->mutex);
}

int main(void)
{
	struct gate *gates[2 * THREADS];
	pthread_t threads[THREADS];

	/* Each thread passes a gate that is closed for a while, so that it waits at an address of
	 * its own; main waits at others, which nobody opens in time. */
	for (int i = 0; i < 2 * THREADS; i++) {
		gates[i] = calloc(1, sizeof(*gates[i]));
		pthread_mutex_init(&gates[i]->mutex, NULL);
		pthread_cond_init(&gates[i]->opened, NULL);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, pass, gates[i]);
	for (int i = THREADS; i < 2 * THREADS; i++) {
		struct timespec past = {0};

		pthread_mutex_lock(&gates[i]->mutex);
		pthread_cond_timedwait(&gates[i]->opened, &gates[i]->mutex, &past);
		pthread_mutex_unlock(&gates[i]->mutex);
	}
	for (int i = 0; i < THREADS; i++)
		open_gate(gates[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2 * THREADS; i++)
		free(gates[i]);
	return 5;
}
