/* Forks by several threads at the same time, of children that end at once. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define FORKS	150

static void *work(void *wrong)
{
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();
		int status = 1;

		if (child == 0)
			_exit(0);
		waitpid(child, &status, 0);
		*(int *)wrong += status != 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int wrong[THREADS] = {0};

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &wrong[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("%d went wrong\n", wrong[i]);
	}
	return 0;
}
