/* Functions of few nanoseconds a call beside others, of which it is known what share of the time
 * each has.  All is done within a moment, and how often somebody else had the processor meanwhile
 * is told, so that runs without that can be chosen.
 *
 * Usage: counted_brief recursion|nothing.  Prints "NAME WORK" for each function: how many
 * multiplications it does, each of which waits for the one before; of nothing, nanoseconds of
 * CPU time, which are true when it runs bare.  And "switched TIMES". */
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define FUNCTION __attribute__((noinline, noclone, noipa)) static

enum { LEAF, DEEP, BESIDE, ACK, HEAVY, NAMES };

static const char *const names[NAMES] = {"leaf", "deep", "beside", "ack", "heavy"};
static uint64_t work_of[NAMES];
static uint64_t chain = 1;

static inline __attribute__((always_inline)) void work(uint32_t count)
{
	uint64_t value = chain;

	for (uint32_t i = 0; i < count; i++)
		__asm__ volatile("imul %0, %0" : "+r"(value));
	chain = value;
}

/* Without a loop, whose end a processor may foresee or not. */
#define COUNTED(name, count)                                                                       \
	do {                                                                                       \
		uint64_t value = chain;                                                            \
                                                                                                   \
		work_of[name] += (count);                                                          \
		__asm__ volatile(".rept " #count "\n imul %0, %0\n .endr" : "+r"(value));          \
		chain = value;                                                                     \
	} while (0)

FUNCTION void leaf(void)
{
	COUNTED(LEAF, 60);
}

FUNCTION void deep(uint32_t depth)
{
	COUNTED(DEEP, 120);
	if (depth > 0)
		deep(depth - 1);
	leaf();
}

FUNCTION void beside(uint32_t count)
{
	work_of[BESIDE] += count;
	work(count);
}

static void recursion(void)
{
	for (int i = 0; i < 600; i++) {
		deep(15);
		beside(1300);
	}
}

FUNCTION unsigned ack(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

FUNCTION void heavy(void)
{
	work(1000000);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void nothing(void)
{
	uint64_t start = now();

	chain += ack(2, 40);
	work_of[ACK] = now() - start;
	start = now();
	heavy();
	work_of[HEAVY] = now() - start;
}

static long switched(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

int main(int count, char **arguments)
{
	bool is_recursion = count == 2 && strcmp(arguments[1], "recursion") == 0;
	long before;

	sched_yield(); /* a slice of time begins */
	before = switched();
	(is_recursion ? recursion : nothing)();
	before = switched() - before;
	for (int i = 0; i < NAMES; i++)
		if (work_of[i])
			printf("%s %llu\n", names[i], (unsigned long long)work_of[i]);
	printf("switched %ld\n", before);
	return 0;
}
