/* Numbers as people read them. */
#include "text/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

static void assert_duration(double seconds, const char *expected)
{
	char buffer[QUANTITY_MAX];

	assert_string_equal(quantity_duration(seconds, buffer), expected);
}

static void test_durations(void **state)
{
	(void)state;
	assert_duration(0, "0 s");
	assert_duration(1e-9, "1 ns");
	assert_duration(999e-9, "999 ns");
	assert_duration(999.6e-9, "1.00 us");
	assert_duration(1.234e-6, "1.23 us");
	assert_duration(12.34e-6, "12.3 us");
	assert_duration(99.96e-6, "100 us");
	assert_duration(999.6e-6, "1.00 ms");
	assert_duration(0.5, "500 ms");
	assert_duration(0.9999, "1.000 s");
	assert_duration(1.2345, "1.234 s");
	assert_duration(9.9999, "10.00 s");
	assert_duration(59.994, "59.99 s");
	assert_duration(3600, "3600.0 s");
	assert_duration(-0.002, "-2.00 ms");
	assert_duration(-0.25, "-250 ms");
	assert_duration((double)NAN, "?");
}

static void assert_sure(double seconds, double error, const char *expected)
{
	char buffer[QUANTITY_MAX];

	assert_string_equal(quantity_duration_sure(seconds, error, buffer), expected);
}

static void test_sure_digits(void **state)
{
	(void)state;
	assert_sure(3.998, 3.037, "4 s");
	assert_sure(0.0486, 0.0143, "50 ms");
	assert_sure(0.00355, 0.0437, "4 ms"); /* one digit is always there */
	assert_sure(1.2345, 0.02, "1.23 s");
	assert_sure(0.9996, 0.01, "1.00 s");
	assert_sure(1.2345, 0, "1.234 s");
	assert_sure(1.2345, 1e-9, "1.234 s");
	assert_sure(22e-9, 3e-9, "22 ns");
	assert_sure(0, 0.1, "0 s");
	assert_sure((double)NAN, 0.1, "?");
}

static void test_counts(void **state)
{
	char buffer[QUANTITY_MAX];

	(void)state;
	assert_string_equal(quantity_count(0, buffer), "0");
	assert_string_equal(quantity_count(999, buffer), "999");
	assert_string_equal(quantity_count(1000, buffer), "1,000");
	assert_string_equal(quantity_count(UINT64_MAX, buffer), "18,446,744,073,709,551,615");
}

static void test_bytes(void **state)
{
	char buffer[QUANTITY_MAX];

	(void)state;
	assert_string_equal(quantity_bytes(0, buffer), "0 bytes");
	assert_string_equal(quantity_bytes(999, buffer), "999 bytes");
	assert_string_equal(quantity_bytes(1536, buffer), "1.54 kB");
	assert_string_equal(quantity_bytes(-2e6, buffer), "-2.00 MB");
	assert_string_equal(quantity_bytes(3e18, buffer), "3000 PB");
}

static void test_percentages(void **state)
{
	char buffer[QUANTITY_MAX];

	(void)state;
	assert_string_equal(quantity_percent(0, buffer), "0.0 %");
	assert_string_equal(quantity_percent(0.01, buffer), "<0.1 %");
	assert_string_equal(quantity_percent(12.34, buffer), "12.3 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),   cmocka_unit_test(test_sure_digits),
		cmocka_unit_test(test_counts),	    cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_percentages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
