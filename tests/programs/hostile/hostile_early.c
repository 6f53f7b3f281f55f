/* Uses what Kymo wraps before any library's constructor has run, in constructors, in
 * destructors and after main. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int threads_seen, forks_seen, keys_taken;

static void *body(void *argument)
{
	char *block = malloc(1000);

	pthread_mutex_lock(&lock);
	threads_seen++;
	pthread_mutex_unlock(&lock);
	free(block);
	return argument;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL) == 0)
		pthread_join(thread, NULL);
}

static void make_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(3);
	if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3)
		forks_seen++;
}

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

static void early(int count, char **arguments, char **environment)
{
	(void)environment;
	/* As allocators do.  In a child these run before the handlers of who came later. */
	pthread_atfork(take_lock, give_lock, give_lock);
	make_thread();
	make_child();
	if (count > 1 && arguments[1][0] == 'k')
		for (pthread_key_t key; pthread_key_create(&key, NULL) == 0;)
			keys_taken = 1;
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **,
										 char **) = early;

static int real_answer(void)
{
	return 42;
}

/* Runs while the program is still being linked. */
static int (*resolve(void))(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return real_answer;
}

int answer(void) __attribute__((ifunc("resolve")));

__attribute__((constructor(101))) static void construct(void)
{
	make_thread();
	make_child();
}

__attribute__((destructor)) static void destruct(void)
{
	make_thread();
	make_child();
	printf("destructor: %d threads, %d forks\n", threads_seen, forks_seen);
	fflush(stdout);
}

static void at_exit(void)
{
	make_thread();
	make_child();
	printf("atexit: %d threads, %d forks\n", threads_seen, forks_seen);
}

int main(void)
{
	atexit(at_exit);
	make_thread();
	make_child();
	printf("main: %d threads, %d forks, answer %d, keys %d\n", threads_seen, forks_seen,
	       answer(), keys_taken);
	fflush(stdout);
	return 4;
}
