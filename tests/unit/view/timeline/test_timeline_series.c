/* Series: points while they are few, else steps at several levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/timeline/timeline_series.h"

static void test_series_become_steps_when_they_are_long(void **state)
{
	struct timeline_series series;
	struct textbuf bytes = {0};

	(void)state;
	timeline_series_init(&series, 1000000, 1024);
	timeline_series_add(&series, 5, 1.5);
	timeline_series_add(&series, 9, (double)NAN);
	timeline_series_write(&series, &bytes);
	assert_int_equal(bytes.length, 6);
	assert_memory_equal(bytes.data, "\1\5\0\0\xc0\x3f", 6);
	timeline_series_release(&series);
	textbuf_clear(&bytes);

	timeline_series_init(&series, 1000000, 1024);
	for (uint64_t i = 0; i <= 1000000; i += 100)
		timeline_series_add(&series, i, i % 200 ? -3.0 : 4.0);
	assert_null(series.points);
	assert_int_equal(series.count, 10001);
	assert_true(series.min == -3.0 && series.max == 4.0);
	assert_true(series.steps[10].min == -3.0f && series.steps[10].max == 4.0f);
	timeline_series_write(&series, &bytes);
	assert_int_equal(bytes.length, 1 + 2 + (1024 + 128) * 12);
	assert_true(timeline_series_bytes(&series) >= (bytes.length + 2) / 3 * 4);
	timeline_series_release(&series);
	textbuf_release(&bytes);
}

static void test_points_come_in_the_order_of_time(void **state)
{
	struct timeline_series series;
	struct textbuf bytes = {0};

	(void)state;
	timeline_series_init(&series, 1000, 128);
	timeline_series_add(&series, 300, -2);
	timeline_series_add(&series, 100, 0.5);
	timeline_series_add(&series, 200, (double)INFINITY);
	timeline_series_add(&series, 200, 1e300); /* too large for four bytes */
	timeline_series_write(&series, &bytes);
	assert_int_equal(bytes.length, 1 + 1 + 2 + 8);
	assert_memory_equal(bytes.data, "\2\x64\xc8\1\0\0\0\x3f\0\0\0\xc0", 12);
	assert_true(series.min == -2 && series.max == 0.5);
	timeline_series_release(&series);
	textbuf_release(&bytes);
}

static void test_series_without_points_has_neither_points_nor_steps(void **state)
{
	struct timeline_series series;
	struct textbuf bytes = {0};

	(void)state;
	timeline_series_init(&series, 1000, 128);
	timeline_series_write(&series, &bytes);
	assert_int_equal(bytes.length, 2);
	assert_memory_equal(bytes.data, "\0\0", 2);
	timeline_series_release(&series);
	textbuf_release(&bytes);
}

static float float_at(const struct textbuf *bytes, size_t index)
{
	float value;

	memcpy(&value, bytes->data + 3 + 4 * index, sizeof(value));
	return value;
}

static void test_steps_without_points_are_no_numbers(void **state)
{
	enum { STEPS = 1024 };
	struct timeline_series series;
	struct textbuf bytes = {0};

	(void)state;
	timeline_series_init(&series, 1024 * 1000 - 1, STEPS);
	/* All of them in the first half; some have times beyond the end. */
	for (uint64_t i = 0; i <= SERIES_POINTS; i++)
		timeline_series_add(&series, i * 125, i % 8);
	timeline_series_add(&series, UINT64_MAX, 9);
	timeline_series_write(&series, &bytes);
	assert_memory_equal(bytes.data, "\0\x80\x8", 3);
	assert_true(float_at(&bytes, 0) == 0 && float_at(&bytes, STEPS) == 7);
	assert_true(float_at(&bytes, 2 * STEPS) == 3.5f);
	assert_true(isnan(float_at(&bytes, 600)) && isnan(float_at(&bytes, STEPS + 600)));
	assert_true(float_at(&bytes, STEPS - 1) == 9);
	/* The next level: an eighth of the steps. */
	assert_true(float_at(&bytes, 3 * STEPS) == 0 && float_at(&bytes, 3 * STEPS + 128) == 7);
	assert_true(isnan(float_at(&bytes, 3 * STEPS + 100)));
	timeline_series_release(&series);
	textbuf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_become_steps_when_they_are_long),
		cmocka_unit_test(test_points_come_in_the_order_of_time),
		cmocka_unit_test(test_series_without_points_has_neither_points_nor_steps),
		cmocka_unit_test(test_steps_without_points_are_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
