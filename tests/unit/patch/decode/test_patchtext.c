/* Instructions as people read them. */
#include "patch/decode/patchtext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[PATCHTEXT_SIZE];

static void test_target_comes_first(void **state)
{
	static const unsigned char code[] = {0xb8, 1, 0, 0, 0, 0xc3};

	(void)state;
	assert_int_equal(patchtext(code, sizeof(code), 0x1000, text), 5);
	assert_string_equal(text, "mov eax, 0x01");
	assert_int_equal(patchtext(code + 5, 1, 0x1005, text), 1);
	assert_string_equal(text, "ret");
}

/* Where branches lead and operands lie is said by addresses. */
static void test_addresses(void **state)
{
	static const unsigned char call[] = {0xe8, 0xfb, 0, 0, 0};
	static const unsigned char load[] = {0x48, 0x8b, 0x05, 0xf9, 0, 0, 0};

	(void)state;
	assert_int_equal(patchtext(call, sizeof(call), 0x401000, text), 5);
	assert_non_null(strstr(text, "401100"));
	assert_int_equal(patchtext(load, sizeof(load), 0x401000, text), 7);
	assert_non_null(strstr(text, "401100"));
}

static void test_none(void **state)
{
	static const unsigned char code[] = {0x06, 0x48, 0x8b};

	(void)state;
	assert_int_equal(patchtext(code, 1, 0, text), 0);
	assert_int_equal(patchtext(code + 1, 2, 0, text), 0); /* it is cut off */
	assert_int_equal(patchtext(code, 0, 0, text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target_comes_first),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
