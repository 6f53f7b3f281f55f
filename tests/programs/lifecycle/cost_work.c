/* Programs whose measuring costs different things: `cost_work WORK [MILLIONS]`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t step(uint64_t value)
{
	__asm__ volatile("" : "+r"(value)); /* no two calls are one */
	return value * 6364136223846793005u + 1442695040888963407u;
}

/* As many calls as a program can make. */
static __attribute__((noinline)) uint64_t calls(uint64_t millions)
{
	uint64_t value = 1;

	for (uint64_t i = 0; i < millions * 1000000; i++)
		value = step(value);
	return value;
}

static __attribute__((noinline)) uint64_t work(uint64_t value)
{
	for (int i = 0; i < 20000; i++)
		value = value * 6364136223846793005u + 1442695040888963407u;
	return value;
}

/* Few calls of a function that works for a while. */
static __attribute__((noinline)) uint64_t few(uint64_t millions)
{
	uint64_t value = 1;

	for (uint64_t i = 0; i < millions * 50; i++)
		value = work(value);
	return value;
}

/* Until it is killed. */
static __attribute__((noreturn)) void endless(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		sink = calls(1);
}

int main(int argc, char **argv)
{
	uint64_t millions = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	if (argc > 1 && strcmp(argv[1], "endless") == 0)
		endless();

	sink = argc > 1 && strcmp(argv[1], "few") == 0 ? few(millions) : calls(millions);
	return 0;
}
