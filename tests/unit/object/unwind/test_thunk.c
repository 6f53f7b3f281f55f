/* Code that is made while a program runs, to call one function with a pointer more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/unwind/cfi.h"
#include "object/unwind/thunk.h"

#if defined(__x86_64__)

static bool row_of(const char *text, size_t size, struct cfi_row *row)
{
	return unwind_row_by_thunk((const uint8_t *)text, size, row);
}
#define ROW(text) row_of(text, sizeof(text) - 1, &row)

static void test_thunks(void **state)
{
	struct cfi_row row;

	(void)state;
	/* libffi's: endbr64; lea -14(%rip), %r10; jmp *3(%rip) */
	assert_true(ROW("\xf3\x0f\x1e\xfa\x4c\x8d\x15\xf2\xff\xff\xff\xff\x25\x03\x00\x00\x00"));
	assert_int_equal(row.cfa_offset, 8);
	assert_int_equal(row.return_offset, -8);
	assert_int_equal(row.frame_offset, CFI_FRAME_KEPT);
	/* a compiler's: movabs $..., %r10; movabs $..., %r11; rex.W jmp *%r11 */
	assert_true(ROW("\x49\xba\x01\x02\x03\x04\x05\x06\x07\x08"
			"\x49\xbb\x01\x02\x03\x04\x05\x06\x07\x08\x49\xff\xe3"));
	assert_true(ROW("\xff\xe0"));
}

static void test_other_code(void **state)
{
	struct cfi_row row = {.cfa_offset = 77};

	(void)state;
	assert_false(ROW("\x55\xff\xe0"));		   /* push */
	assert_false(ROW("\xbd\x01\x00\x00\x00\xff\xe0")); /* the frame pointer */
	assert_false(ROW("\x48\x83\xec\x08\xff\xe0"));	   /* the stack pointer */
	assert_false(ROW("\xeb\x02\x90\x90\xff\xe0"));	   /* a jump to what is there */
	assert_false(ROW("\xc3"));
	assert_false(ROW("\xff\xd0"));				   /* a call comes back */
	assert_false(ROW("\x90\x90\x90\x90\x90\x90\x90\xff\xe0")); /* too long */
	assert_int_equal(row.cfa_offset, 77);
}

static void test_cut(void **state)
{
	static const char thunk[] =
		"\xf3\x0f\x1e\xfa\x4c\x8d\x15\xf2\xff\xff\xff\xff\x25\x03\x00\x00\x00";
	struct cfi_row row;

	(void)state;
	for (size_t size = 0; size < sizeof(thunk) - 1; size++)
		assert_false(row_of(thunk, size, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thunks),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0; /* none is known there */
}

#endif
