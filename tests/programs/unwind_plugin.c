/* A library that comes and goes; SIZE makes two of them, as large, with other frames. */
#include <string.h>

static __attribute__((noinline, aligned(512))) int work(int (*ready)(void), int depth)
{
	volatile char room[SIZE];

	memset((char *)room, depth, sizeof(room));
	return depth > 0 ? work(ready, depth - 1) + room[depth] - depth : ready() + room[0];
}

__attribute__((aligned(512))) int plugin_work(int (*ready)(void));
int plugin_work(int (*ready)(void))
{
	return work(ready, 5) * 2;
}
