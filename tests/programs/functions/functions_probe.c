/* Two ways to do the same work, one of them with calls, in turns; prints what a turn of each took,
 * nanoseconds of CPU time on average. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TURNS 500
#define CALLS (16000 / STEPS) /* STEPS is how long a call is */

/* As programs do: some loads after each other, and more that wait for nothing. */
#define WORK(value)                                                                                \
	for (int i = 0; i < STEPS; i++)                                                            \
	value += (table[table[(value + i) & 255]] & 1) + (table[i * 5] ^ table[i * 9 + 1]) +       \
		 (table[i * 7 + 2] & table[i * 11 + 3]) * 3 + (table[i * 13] >> 2)

static uint32_t table[512];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__((noinline)) uint64_t step(uint64_t value)
{
	WORK(value);
	return value;
}

static __attribute__((noinline)) uint64_t with_calls(uint64_t value)
{
	for (int call = 0; call < CALLS; call++)
		value = step(value);
	return value;
}

static __attribute__((noinline)) uint64_t without_calls(uint64_t value)
{
	for (int call = 0; call < CALLS; call++)
		WORK(value);
	return value;
}

int main(void)
{
	double calling = 0, plain = 0, start;
	uint64_t value = 1;

	for (uint32_t i = 0; i < 512; i++)
		table[i] = (i * 167 + 13) & 255;
	for (int turn = 0; turn < TURNS; turn++) {
		start = now();
		value = with_calls(value);
		calling += now() - start;
		start = now();
		value = without_calls(value);
		plain += now() - start;
	}
	printf("%d %.1f %.1f\n", TURNS, calling / TURNS, plain / TURNS);
	return value == 0;
}
