/* A program whose functions end in others, by a jump in the place of a call (-O2), of which it is
 * known what share of its work each function does by itself.
 *
 * Usage: counted_tails straight|either|pointer|chain|circle|outside.  Work is in units, one
 * multiplication each that waits for the one before.  Prints "NAME UNITS" for each function, and
 * what CPU time all of it took. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FUNCTION __attribute__((noinline, noclone, noipa)) static void
#define CALLS	 200000u

enum { TOP, FIRST, SECOND, THIRD, EVEN, ODD, NAMES };

static const char *const names[NAMES] = {"top", "first", "second", "third", "even", "odd"};
static uint64_t units[NAMES];
static uint64_t chain = 1;
static char cleared[1 << 16];

static inline __attribute__((always_inline)) void work(int name, uint32_t count)
{
	uint64_t value = chain;

	units[name] += count;
	for (uint32_t i = 0; i < count; i++)
		__asm__ volatile("imul %0, %0" : "+r"(value));
	chain = value;
}

FUNCTION third(uint32_t count)
{
	work(THIRD, count);
}

FUNCTION second(uint32_t count)
{
	work(SECOND, count);
}

FUNCTION straight(uint32_t count)
{
	work(FIRST, count);
	second(3 * count);
}

/* By a branch, and not each time. */
FUNCTION either(uint32_t count)
{
	work(FIRST, count);
	if (chain & 4)
		second(3 * count);
	else
		third(count);
}

static void (*volatile pointer)(uint32_t count) = second;

FUNCTION through_pointer(uint32_t count)
{
	work(FIRST, count);
	pointer(3 * count);
}

FUNCTION middle(uint32_t count)
{
	work(SECOND, count);
	third(2 * count);
}

FUNCTION chained(uint32_t count)
{
	work(FIRST, count);
	middle(2 * count);
}

FUNCTION odd(uint32_t count);

FUNCTION even(uint32_t count)
{
	work(EVEN, 200);
	if (count > 0)
		odd(count - 1);
}

FUNCTION odd(uint32_t count)
{
	work(ODD, 600);
	if (count > 0)
		even(count - 1);
}

/* Into a library that is not recorded: it is part of the function's own work. */
__attribute__((noinline, noclone, noipa)) static void *outside(uint32_t count)
{
	work(FIRST, count);
	return memset(cleared, (int)chain, sizeof(cleared));
}

FUNCTION top(const char *kind)
{
	for (uint32_t i = 0; i < CALLS; i++) {
		work(TOP, 200);
		if (strcmp(kind, "straight") == 0)
			straight(200);
		else if (strcmp(kind, "either") == 0)
			either(300);
		else if (strcmp(kind, "pointer") == 0)
			through_pointer(200);
		else if (strcmp(kind, "chain") == 0)
			chained(200);
		else if (strcmp(kind, "circle") == 0 && i % 8 == 0)
			even(9);
		else if (strcmp(kind, "outside") == 0)
			outside(200);
	}
}

int main(int count, char **arguments)
{
	struct timespec used;

	if (count == 2)
		top(arguments[1]);
	for (int i = 0; i < NAMES; i++)
		if (units[i])
			printf("%s %llu\n", names[i], (unsigned long long)units[i]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("cpu %lld\n", (long long)used.tv_sec * 1000000000 + used.tv_nsec);
	return 0;
}
