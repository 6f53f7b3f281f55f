/* Processors without plans: nothing is instrumented. */
#include "collectors/functions/funcpatch_call.h"

bool funcpatch_count_down(uint32_t *left)
{
	return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) == 0;
}

bool funcpatch_call_init(void)
{
	return false;
}

uint64_t funcpatch_thread_offset(void)
{
	return 0;
}

void funcpatch_slow_enter(void)
{
}

void funcpatch_slow_exit(void)
{
}

void funcpatch_call_on(void (*function)(void *), void *argument, void *top)
{
	(void)top;
	function(argument);
}

void funcpatch_call_kept(void (*function)(void *), void *argument)
{
	function(argument);
}

long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id)
{
	(void)function;
	(void)top;
	(void)local;
	(void)id;
	return -1;
}

/* Threads are not stopped if their registers are unknown (threadregs.h). */
long funcpatch_process_make(int (*function)(void *), void *top)
{
	(void)function, (void)top;
	return -1;
}

uint64_t funcpatch_thread_pointer(void)
{
	return 0;
}

void funcpatch_thread_pointer_fix(uint64_t pointer)
{
	(void)pointer;
}

bool funcpatch_is_return_point(uint64_t address)
{
	(void)address;
	return false;
}
