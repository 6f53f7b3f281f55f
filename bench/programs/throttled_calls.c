/* A function of two nanoseconds, called as often as is asked for: a case for --budget. */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long state = 1;

__attribute__((noinline)) static unsigned long brief(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 6364136223846793005u + 1442695040888963407u;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, value = state;

	for (unsigned long i = 0; i < count; i++)
		value = brief(value);
	printf("%lu\n", value);
	return 0;
}
