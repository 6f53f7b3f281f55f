/* A library that comes and goes; SIZE makes two of them, as large, with other frames.  Where
 * rows of the one are used for the other, return addresses are read from what fills them. */

typedef int (*ready_fn)(void);

static __attribute__((noinline, aligned(512))) int work(ready_fn ready, int depth)
{
	volatile ready_fn room[SIZE];

	for (int i = 0; i < SIZE; i++)
		room[i] = ready;
	return depth > 0 ? work(ready, depth - 1) + (room[depth] != ready) : room[0]();
}

int plugin_work(ready_fn ready);
__attribute__((aligned(512))) int plugin_work(ready_fn ready)
{
	return work(ready, 5) * 2;
}
