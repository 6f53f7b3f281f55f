/* Counted functions of which much is known: who calls how often, what is called once, what cannot
 * take longer than what calls it. */
#include <stdlib.h>

#define OFTEN 100000
#define RARE  1000
#define DEPTH 100

static volatile long sink;

__attribute__((noinline)) static void spin(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
	sink++;
}

__attribute__((noinline)) static void leaf(void)
{
	spin(5);
}

__attribute__((noinline)) static void often(void)
{
	leaf();
	sink++;
}

__attribute__((noinline)) static void rare(void)
{
	leaf();
	sink += 2;
}

__attribute__((noinline)) static int down(int depth)
{
	sink++;
	return depth > 1 ? down(depth - 1) + 1 : 1;
}

/* Rarely long, so that what is estimated of spin() may be any multiple of the truth. */
__attribute__((noinline)) static void once(void)
{
	for (int i = 0; i < OFTEN; i++) {
		often();
		if (i % (OFTEN / RARE) == 0)
			rare();
		spin(i % 1000 == 0 ? 30000 : 10);
	}
}

__attribute__((noinline)) static void deep(void)
{
	for (int i = 0; i < 20; i++)
		sink += down(DEPTH);
}

static int compare(const void *left, const void *right)
{
	spin(3);
	return *(const int *)left - *(const int *)right;
}

/* The C library calls compare() back. */
__attribute__((noinline)) static void sort(void)
{
	static int numbers[20000];

	for (int i = 0; i < 20000; i++)
		numbers[i] = (i * 7919) % 20011;
	qsort(numbers, 20000, sizeof(*numbers), compare);
}

__attribute__((noinline)) static void few(void)
{
	spin(1000);
}

int main(void)
{
	once();
	deep();
	sort();
	for (int i = 0; i < 8; i++)
		few();
	exit(0);
}
