/* Stubs of procedure linkage tables, byte by byte. */
#include "object/symbols/x86_64/plt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1
#define LANDING	    "\xf3\x0f\x1e\xfa"

static void expect_slot(const unsigned char *code, size_t size, uint64_t expected)
{
	uint64_t slot = 0;

	assert_true(plt_x86_64_slot(code, size, 0x1000, &slot));
	assert_int_equal(slot, expected);
}

static void test_slots_count_from_the_next_instruction(void **state)
{
	(void)state;
	expect_slot(BYTES("\xff\x25\x10\0\0\0"), 0x1016);
	expect_slot(BYTES(LANDING "\xff\x25\x10\0\0\0"), 0x101a);
	expect_slot(BYTES(LANDING "\xf2\xff\x25\x10\0\0\0"), 0x101b);
	expect_slot(BYTES("\xff\x25\xf0\xff\xff\xff"), 0xff6); /* in front */
}

static void test_numbers_are_what_is_pushed(void **state)
{
	uint32_t number = 0;

	(void)state;
	assert_true(plt_x86_64_number(BYTES("\x68\x34\x12\0\0"), &number));
	assert_int_equal(number, 0x1234);
	assert_true(plt_x86_64_number(BYTES(LANDING "\x68\x05\0\0\0\xe9"), &number));
	assert_int_equal(number, 5);
}

static void test_other_code_is_no_stub(void **state)
{
	uint64_t slot;
	uint32_t number;

	(void)state;
	assert_false(plt_x86_64_slot(BYTES("\xff\x15\x10\0\0\0"), 0, &slot)); /* a call */
	assert_false(plt_x86_64_slot(BYTES("\x90\xff\x25\x10\0\0\0"), 0, &slot));
	assert_false(plt_x86_64_number(BYTES("\x6a\x05\0\0\0"), &number));
}

static void test_what_is_cut_off_is_not_read(void **state)
{
	static const char stub[] = LANDING "\xf2\xff\x25\x10\0\0\0",
			  push[] = LANDING "\xf2\x68\x10\0\0\0";
	uint64_t slot;
	uint32_t number;

	(void)state;
	for (size_t size = 0; size < sizeof(stub) - 1; size++)
		assert_false(plt_x86_64_slot((const unsigned char *)stub, size, 0, &slot));
	for (size_t size = 0; size < sizeof(push) - 1; size++)
		assert_false(plt_x86_64_number((const unsigned char *)push, size, &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots_count_from_the_next_instruction),
		cmocka_unit_test(test_numbers_are_what_is_pushed),
		cmocka_unit_test(test_other_code_is_no_stub),
		cmocka_unit_test(test_what_is_cut_off_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
