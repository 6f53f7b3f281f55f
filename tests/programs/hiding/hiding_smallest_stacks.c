/* Threads as small as can be, and alternate stacks that have room for one signal's frame, with
 * nothing below: whoever needs more than the system says ends the program. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

static volatile unsigned long sum;

static double used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *work(void *unused)
{
	double end = used() + 0.1;

	while (used() < end)
		for (int i = 0; i < 10000; i++)
			sum += (unsigned long)i;
	return unused;
}

static void *work_beside(void *unused)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)sysconf(_SC_MINSIGSTKSZ);
	char *place = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = place + page, .ss_size = size};

	if (place == MAP_FAILED || mprotect(place + page, size, PROT_READ | PROT_WRITE) != 0 ||
	    sigaltstack(&stack, NULL) != 0)
		return "no stack";
	return work(unused);
}

static const char *run(void *(*routine)(void *))
{
	pthread_t threads[THREADS];
	pthread_attr_t attributes;
	void *result = NULL, *one;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &attributes, routine, NULL) != 0)
			return "no thread";
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &one);
		result = one ? one : result;
	}
	return result ? result : "well";
}

int main(void)
{
	printf("threads: %s\n", run(work));
	printf("alternate stacks: %s\n", run(work_beside));
	return 5;
}
