/* Functions that differ in what they are chosen by: name, size, linkage, visibility, callees.
 * Calls without arguments: leaf 60, small 10, middle 10, shown 1, weakly 1, secret 1, told 2,
 * main 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_LIBRARY
int library_step(int value);
#endif

volatile int sink;

__attribute__((noinline)) static int leaf(int value)
{
	sink = value;
	return value + 1;
}

__attribute__((noinline)) static int small(int value)
{
	return leaf(value) + leaf(value + 1);
}

__attribute__((noinline)) static int middle(int value)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += leaf(value + i);
	return sum;
}

/* The largest by far. */
__attribute__((noinline)) int shown(int value)
{
	sink = value * 3;
	sink += value / 7;
	sink ^= value * 11;
	sink -= value / 13;
	sink += value * 17;
	sink ^= value / 19;
	sink -= value * 23;
	sink += value / 29;
	sink ^= value * 31;
	sink -= value / 37;
	sink += value * 41;
	sink ^= value / 43;
	sink -= value * 47;
	sink += value / 53;
	sink ^= value * 59;
	sink -= value / 61;
	return sink;
}

__attribute__((noinline, weak)) int weakly(int value)
{
	return sink += value;
}

__attribute__((noinline, visibility("hidden"))) int secret(int value)
{
	return sink -= value;
}

__attribute__((noinline)) static int told(const char *text)
{
	puts(text);
	return sink ^= (int)strlen(text);
}

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		sum += leaf(i);

	for (int i = 0; i < 10; i++)
		sum += small(i) + middle(i);
	sum += shown(5) + weakly(2) + secret(1) + told("first") + told("second");
#ifdef WITH_LIBRARY
	for (int i = 0; i < 5; i++)
		sum += library_step(i);
#endif
	printf("%d\n", sum);
	return sum % 7;
}
