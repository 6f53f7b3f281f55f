/* What the tests of stacks of this process share: their bounds, and taking them. */
#ifndef KYMO_UNWIND_FIXTURE_H
#define KYMO_UNWIND_FIXTURE_H

#include "object/unwind/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "object/unwind/textmap.h"
#include "platform/readable.h"

#define DEPTH 128

#define noinline __attribute__((noinline))

struct stack {
	struct unwind_frame frames[DEPTH];
	size_t count;
	enum unwind_end end;
};

static struct stack seen;
static struct unwind_stack own;

static inline struct unwind_stack own_stack(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	return (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
}

static inline int prepare(void **state)
{
	(void)state;
	unwind_learn();
	own = own_stack();
	return 0;
}

static inline void take(const struct unwind_registers *from, struct stack *stack)
{
	int saved = errno;

	errno = 4711;
	stack->count = unwind_self(from, &own, stack->frames, DEPTH, &stack->end);
	assert_int_equal(errno, 4711);
	errno = saved;
}

/* The frames of both, from the outermost inwards, are the same but for those that stand
 * in between the two calls. */
static inline void check_beside(const struct stack *stack, void *const *other, size_t other_count,
				size_t skipped)
{
	assert_int_equal(stack->end, UNWIND_COMPLETE);
	assert_in_range(stack->count, 3, other_count + 1);
	for (size_t i = 1; i + skipped < stack->count; i++)
		assert_int_equal(stack->frames[stack->count - i].address + 1,
				 (uintptr_t)other[other_count - i]);
	for (size_t i = 1; i < stack->count; i++)
		assert_true(stack->frames[i].low > stack->frames[i - 1].low);
}

static noinline void look_here(void)
{
	struct unwind_registers from;
	void *other[DEPTH];
	int count;

	unwind_from_here(&from);
	take(&from, &seen);
	count = backtrace(other, DEPTH);
	check_beside(&seen, other, (size_t)count, 1);
	assert_in_range(count, seen.count, seen.count + 1); /* a sanitizer's own, in between */
}

#endif
