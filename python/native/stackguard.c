/* The lower bound of a thread's stack, plus a quarter of its size as reserve. */
#include "stackguard.h"

#include <pthread.h>

#include "base/keeperrno.h"

static uintptr_t lowest_address(void)
{
	pthread_attr_t attributes;
	uintptr_t low = 0;
	void *stack;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return 0;
	if (pthread_attr_getstack(&attributes, &stack, &size) == 0)
		low = (uintptr_t)stack + size / 4;
	pthread_attr_destroy(&attributes);
	return low;
}

bool stackguard_check(struct kymo_thread *thread, uintptr_t position)
{
	KEEP_ERRNO();

	if (!thread->record)
		return false;
	if (thread->stack_low == UINTPTR_MAX)
		thread->stack_low = lowest_address();
	return position < thread->stack_low;
}
