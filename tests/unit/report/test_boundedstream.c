/* Streams with an end: what fits arrives whole, what does not is noticed. */
#include "base/boundedstream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void test_what_fits_arrives(void **state)
{
	struct boundedstream bounded;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_true(boundedstream_open(&bounded, to, 6));
	fputs("abcdef", bounded.stream);
	assert_true(boundedstream_close(&bounded));
	assert_int_equal(bounded.bytes, 6);
	assert_false(bounded.is_over);
	fclose(to);
	assert_string_equal(text, "abcdef");
	free(text);
}

static void test_one_byte_more_is_over(void **state)
{
	struct boundedstream bounded;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_true(boundedstream_open(&bounded, to, 5));
	fputs("abcdef", bounded.stream);
	assert_false(boundedstream_close(&bounded));
	assert_true(bounded.is_over);
	fclose(to);
	assert_int_equal(size, 0);
	free(text);
}

/* A writer that looks at ferror() stops soon, however much it had to say. */
static void test_the_writer_hears_of_it(void **state)
{
	struct boundedstream bounded;
	size_t lines = 0;

	(void)state;
	assert_true(boundedstream_open(&bounded, NULL, 1000000));
	while (lines < 10000000 && !ferror(bounded.stream)) {
		fputs("0123456789\n", bounded.stream);
		lines++;
	}
	assert_false(boundedstream_close(&bounded));
	assert_in_range(lines, 1000000 / 11, 1200000 / 11);
	assert_in_range(bounded.bytes, 900000, 1000000);
}

static void test_a_full_device_is_no_limit(void **state)
{
	struct boundedstream bounded;
	FILE *to = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(to);
	setvbuf(to, NULL, _IONBF, 0);
	assert_true(boundedstream_open(&bounded, to, UINT64_MAX));
	fputs("abcdef", bounded.stream);
	assert_false(boundedstream_close(&bounded));
	assert_false(bounded.is_over);
	assert_true(ferror(to));
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_fits_arrives),
		cmocka_unit_test(test_one_byte_more_is_over),
		cmocka_unit_test(test_the_writer_hears_of_it),
		cmocka_unit_test(test_a_full_device_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
