/* A program of which it is known what share of its work each function does by itself.
 *
 * Usage: counted_shares few|short|callers|recursion.  Work is in units, one multiplication each
 * that waits for the one before, from call to call: what a function takes is how many it does.
 * Prints "NAME UNITS" for each function, and what CPU time all of it took: that of its own thread
 * alone, without the ones that measure. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FUNCTION __attribute__((noinline, noclone, noipa)) static void

enum { COPY, SWEEP, CHECK, MIDDLE, LEAF, OFTEN, RARE, DEEP, BESIDE, NAMES };

static const char *const names[NAMES] = {"copy",  "sweep", "check", "middle", "leaf",
					 "often", "rare",  "deep",  "beside"};
static uint64_t units[NAMES];
static uint64_t chain = 1;

static inline __attribute__((always_inline)) void work(int name, uint32_t count)
{
	uint64_t value = chain;

	units[name] += count;
	for (uint32_t i = 0; i < count; i++)
		__asm__ volatile("imul %0, %0" : "+r"(value));
	chain = value;
}

FUNCTION copy(void)
{
	work(COPY, 680000);
}

FUNCTION sweep(void)
{
	work(SWEEP, 110000);
}

FUNCTION check(void)
{
	work(CHECK, 210000);
}

static void few(void)
{
	for (int i = 0; i < 300; i++) {
		sweep();
		check();
		copy();
	}
}

FUNCTION leaf(uint32_t count)
{
	work(LEAF, count);
}

FUNCTION middle(void)
{
	work(MIDDLE, 240);
	leaf(120);
}

FUNCTION beside(uint32_t count)
{
	work(BESIDE, count);
}

static void many_short(void)
{
	for (int i = 0; i < 1000000; i++)
		middle();
	for (int i = 0; i < 100; i++)
		beside(2000000);
}

FUNCTION often(void)
{
	work(OFTEN, 100);
	for (int i = 0; i < 4; i++)
		leaf(80);
}

FUNCTION rare(void)
{
	work(RARE, 20000);
	for (int i = 0; i < 100; i++)
		leaf(80);
}

static void callers(void)
{
	for (int i = 0; i < 300000; i++) {
		often();
		if (i % 100 == 0)
			rare();
	}
}

FUNCTION deep(uint32_t depth)
{
	work(DEEP, 120);
	if (depth > 0)
		deep(depth - 1);
	leaf(60);
}

static void recursion(void)
{
	for (int i = 0; i < 20000; i++) {
		deep(49);
		beside(4000);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {{"few", few}, {"short", many_short}, {"callers", callers}, {"recursion", recursion}};

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

int main(int count, char **arguments)
{
	uint64_t used = used_ns();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (count == 2 && strcmp(kinds[i].name, arguments[1]) == 0)
			kinds[i].run();
	used = used_ns() - used;
	for (int i = 0; i < NAMES; i++)
		if (units[i])
			printf("%s %llu\n", names[i], (unsigned long long)units[i]);
	printf("cpu %llu\n", (unsigned long long)used);
	return 0;
}
