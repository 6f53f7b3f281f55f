/* Decimals, and nanoseconds as microseconds. */
#include "export/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_decimal(uint64_t value, const char *plain, const char *microseconds)
{
	unsigned char text[32];

	*decimal_put(text, value) = '\0';
	assert_string_equal((char *)text, plain);
	*decimal_put_us(text, value) = '\0';
	assert_string_equal((char *)text, microseconds);
}

static void test_decimals(void **state)
{
	(void)state;
	assert_decimal(0, "0", "0.000");
	assert_decimal(7, "7", "0.007");
	assert_decimal(1050, "1050", "1.050");
	assert_decimal(UINT64_MAX, "18446744073709551615", "18446744073709551.615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
