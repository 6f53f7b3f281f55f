/* Which memory is the thread's stack: what was seen to be readable, page after page. */
#include "collectors/sampler/sampler_stackbounds.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HIGH UINT64_C(0x7f0000100000)

static struct sampler_thread self;
static uint64_t hole; /* a page that cannot be read */
static unsigned reads;

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	(void)to, (void)size;
	reads++;
	return address != hole;
}

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	self.stack_high = HIGH;
	self.stack_low = HIGH - 2 * PAGE;
	hole = 0;
	reads = 0;
	return 0;
}

static void test_each_page_is_read_once(void **state)
{
	struct unwind_stack stack = sampler_bounds_of(&self, HIGH - 5 * PAGE + 8);

	(void)state;
	assert_int_equal(stack.low, HIGH - 5 * PAGE);
	assert_int_equal(stack.high, HIGH);
	assert_int_equal(reads, 3);
	stack = sampler_bounds_of(&self, HIGH - 4 * PAGE);
	assert_int_equal(stack.low, HIGH - 5 * PAGE);
	assert_int_equal(reads, 3);
}

/* Behind a guard page is another stack, which is not asked about each time. */
static void test_another_stack_below(void **state)
{
	(void)state;
	hole = HIGH - 4 * PAGE;
	assert_int_equal(sampler_bounds_of(&self, HIGH - 8 * PAGE).high, 0);
	assert_int_equal(self.stack_low, HIGH - 2 * PAGE);
	reads = 0;
	assert_int_equal(sampler_bounds_of(&self, HIGH - 8 * PAGE + 16).high, 0);
	assert_int_equal(reads, 0);
}

static void test_addresses_that_are_not_near(void **state)
{
	(void)state;
	assert_int_equal(sampler_bounds_of(&self, HIGH).high, 0);
	assert_int_equal(sampler_bounds_of(&self, HIGH + PAGE).high, 0);
	assert_int_equal(sampler_bounds_of(&self, HIGH - 2 * SPREAD_MAX).high, 0);
	assert_int_equal(reads, 0);
	/* Readable, but more pages than are looked at in one sample. */
	assert_int_equal(sampler_bounds_of(&self, HIGH - (PAGES_MAX + 8) * (uint64_t)PAGE).high, 0);
	assert_int_equal(reads, PAGES_MAX);
}

static void test_the_first_threads_own(void **state)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	struct unwind_stack stack;

	(void)state;
	sampler_bounds_begin(&self);
	assert_true(self.stack_high > here);
	stack = sampler_bounds_of(&self, here);
	assert_true(stack.low <= here && here < stack.high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_page_is_read_once, begin),
		cmocka_unit_test_setup(test_another_stack_below, begin),
		cmocka_unit_test_setup(test_addresses_that_are_not_near, begin),
		cmocka_unit_test_setup(test_the_first_threads_own, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
