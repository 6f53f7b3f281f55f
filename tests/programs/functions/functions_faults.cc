/* Faults that sanitizers find, a few calls deep: memory used after it was freed, a race of two
 * threads, an overflow. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION extern "C" __attribute__((noinline))

char *volatile memory;
volatile int depth, shared;
const char *what;

FUNCTION void make(int x)
{
	memory = (char *)malloc(10 + x);
	depth++;
}

FUNCTION void drop(void)
{
	free(memory);
	depth++;
}

FUNCTION int use(int x)
{
	int result = memory[x] + depth;

	depth++;
	return result;
}

FUNCTION int overflow(int x)
{
	int result = x + depth;

	depth++;
	return result;
}

/* Jumps to where nobody can know. */
FUNCTION int through(int x, void **where)
{
	void *local[2] = {&&one, &&two};

	if (!where)
		where = local;
	__asm__ volatile("" : "+r"(where) : : "memory");
	goto *where[x & 1];
one:
	make(x);
	drop();
	depth++;
	return 1;
two:
	make(x);
	drop();
	depth--;
	return 2;
}

FUNCTION int outer(int x)
{
	int result = through(x, NULL);

	shared = shared + result;
	depth++;
	return result;
}

static void *work(void *unused)
{
	outer(1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	what = argc > 1 ? argv[1] : "";
	outer(3);
	outer(2);
	if (strcmp(what, "memory") == 0)
		depth = use(1);
	if (strcmp(what, "overflow") == 0)
		depth = overflow(0x7fffffff);
	if (strcmp(what, "race") == 0) {
		pthread_create(&thread, NULL, work, NULL);
		outer(0);
		pthread_join(thread, NULL);
	}
	puts("end");
	return 0;
}
