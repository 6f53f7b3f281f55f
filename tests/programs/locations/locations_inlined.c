/* For test_locations.py: calls that are inlined, over several lines and files. */
#include <stdio.h>
#include <string.h>
#include "locations_inlined.h"
static int deep(int a)
{
	return scale(a, 3) + scale(a, 5);
}
static __attribute__((noinline)) int work(const char *text, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += deep(i) + (int)strlen(text);
	return sum;
}
__attribute__((noinline)) void exported(int n)
{
	printf("%d\n", work("x", n));
}
int main(int argc, char **argv)
{
	exported(argc);
	puts(argv[0]);
	return 0;
}
