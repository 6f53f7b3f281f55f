/* A library that functions_plugins.c loads and lets go of: N is how it differs from others. */
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 1
#endif

uint64_t plugin_work(int depth, uint64_t value);
uint64_t plugin_call(uint64_t (*back)(int, uint64_t), int depth);
extern uint64_t plugin_state;

uint64_t plugin_state;

static __thread uint64_t of_thread = N;

__attribute__((noinline)) uint64_t plugin_work(int depth, uint64_t value)
{
	of_thread += value;
	return depth == 0 ? value * N : plugin_work(depth - 1, value * 31 + N) ^ of_thread;
}

uint64_t plugin_call(uint64_t (*back)(int, uint64_t), int depth)
{
	return back(depth, plugin_work(depth, plugin_state)) + N;
}

__attribute__((constructor)) static void begin(void)
{
	plugin_state = plugin_work(5, 1);
}

__attribute__((destructor)) static void end(void)
{
	plugin_state = plugin_work(3, 2);
}
