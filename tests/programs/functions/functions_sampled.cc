/* Work below a function that jumps to where nobody can know, and a great many short calls. */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION extern "C" __attribute__((noinline))

volatile double sink;
static int calls;

FUNCTION double innermost(int x)
{
	double sum = 0;

	for (int i = 0; i < 3000000; i++)
		sum += i % (x + 1);
	sink = sum;
	return sum;
}

FUNCTION int through(int x, void **where)
{
	void *local[2] = {&&one, &&two};

	if (!where)
		where = local;
	__asm__ volatile("" : "+r"(where) : : "memory");
	goto *where[x & 1];
one:
	innermost(x);
	sink = sink + 1;
	return 1;
two:
	innermost(x + 1);
	sink = sink - 1;
	return 2;
}

FUNCTION int tiny(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

FUNCTION int often(int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += tiny(sum);
	return sum;
}

FUNCTION int outer(int x)
{
	int result = through(x, NULL) * 2 + often(calls);

	sink = result;
	return result;
}

int main(int argc, char **argv)
{
	calls = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = 5; i >= 0; i--)
		outer(i);
	return 0;
}
