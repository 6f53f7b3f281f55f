/* Loads a library and works in it, while threads work in the program:
 *
 *   functions_opened LIBRARY TIMES
 *
 * Built with -DLIBRARY it is the library.  Prints how often each was called. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define KEEP	__attribute__((noinline, noclone))
#define THREADS 3

#ifdef LIBRARY

KEEP int inner(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int opened(int n);
KEEP int opened(int n)
{
	return inner(n) + inner(n + 1);
}

#else

static _Atomic long busy_calls;
static volatile int is_over;

KEEP int busy(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

static void *work(void *unused)
{
	(void)unused;
	do {
		for (int i = 0; i < 1000; i++)
			busy(i);
		busy_calls += 1000;
	} while (!is_over);
	return NULL;
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; argc > 1 && i < times; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*opened)(int) = library ? (int (*)(int))dlsym(library, "opened") : NULL;

		if (!opened || opened(1) != 5)
			return 1;
		dlclose(library);
	}
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("busy %ld opened %d inner %d\n", busy_calls, times, 2 * times);
	return 0;
}

#endif
