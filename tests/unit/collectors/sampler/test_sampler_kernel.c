/* The frame of a system call: which one, and on what. */
#include "collectors/sampler/sampler_kernel.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

static struct sampler_thread self;
static uint64_t unreadable; /* a page */
static unsigned copies;

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	copies++;
	if (unreadable && address / PAGE == unreadable / PAGE)
		return false;
	if (size > 1) /* else it only wants to know */
		memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	self.descriptor = -1;
	unreadable = 0;
	copies = 0;
	return 0;
}

static uint64_t object_in(uint32_t number, uint64_t argument, uint64_t operation, bool is_waiting)
{
	const struct sampler_call call = {.is_call = true,
					  .number = number,
					  .meant = number,
					  .argument = argument,
					  .operation = operation};
	uint64_t content = kymo_frame_content(sampler_kernel_frame(&self, &call, is_waiting));

	assert_int_equal(content >> ADDRESS_BITS, number);
	return content & ((UINT64_C(1) << ADDRESS_BITS) - 1);
}

static void test_futexes_that_are_waited_for(void **state)
{
	(void)state;
	assert_int_equal(object_in(SYS_futex, 0x7fff12345678, FUTEX_WAIT_PRIVATE, true),
			 0x7fff12345678);
	assert_int_equal(
		object_in(SYS_futex, 0x1000, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, true),
		0x1000);
	assert_int_equal(object_in(SYS_futex, 0x1000, FUTEX_WAKE_PRIVATE, false), 0);
	assert_int_equal(object_in(SYS_getpid, 0x1000, 0, false), 0);
}

static void test_descriptors_and_their_kinds(void **state)
{
	uint64_t expected;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	expected = (uint64_t)KYMO_DESCRIPTOR_PIPE << KIND_SHIFT | (uint32_t)ends[0];
	assert_int_equal(object_in(SYS_read, (uint64_t)ends[0], 0, true), expected);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(object_in(SYS_read, (uint64_t)ends[0], 0, false), expected);
	/* Who waits is asked each time. */
	assert_int_equal(object_in(SYS_read, (uint64_t)ends[0], 0, true) >> KIND_SHIFT,
			 KYMO_DESCRIPTOR_UNKNOWN);
	assert_int_equal(object_in(SYS_read, (uint64_t)-1, 0, true), 0);
}

static void test_the_first_that_is_polled(void **state)
{
	const struct pollfd fds[] = {{.fd = 1 << 20}, {.fd = 5}};

	(void)state;
	assert_int_equal(object_in(SYS_ppoll, (uint64_t)(uintptr_t)fds, 2, true) & UINT32_MAX,
			 1 << 20);
	assert_int_equal(object_in(SYS_ppoll, 0, 0, true), 0);
	unreadable = (uint64_t)(uintptr_t)fds;
	assert_int_equal(object_in(SYS_ppoll, (uint64_t)(uintptr_t)fds, 2, true), 0);
	assert_int_equal(object_in(SYS_pselect6, 0, 0, true), 0); /* a sleep */
	assert_int_not_equal(object_in(SYS_pselect6, 3, 0, true), 0);
}

/* The page that was interrupted in is asked for once, those beside it each time. */
static void test_code_that_can_be_read(void **state)
{
	const uint64_t pc = 0x400100;

	(void)state;
	assert_true(sampler_can_read_code(&self, pc, 16, 16));
	assert_true(sampler_can_read_code(&self, pc, 16, 16));
	assert_int_equal(copies, 1);
	assert_true(sampler_can_read_code(NULL, pc, 16, 16));
	assert_int_equal(copies, 2);
	unreadable = 0x3ff000;
	assert_false(sampler_can_read_code(&self, 0x400008, 16, 16));
	assert_false(sampler_can_read_code(&self, 4, 16, 16)); /* a jump to nowhere */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_futexes_that_are_waited_for, begin),
		cmocka_unit_test_setup(test_descriptors_and_their_kinds, begin),
		cmocka_unit_test_setup(test_the_first_that_is_polled, begin),
		cmocka_unit_test_setup(test_code_that_can_be_read, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
