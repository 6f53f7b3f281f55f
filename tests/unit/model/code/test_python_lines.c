/* Lines from tables written by hand, and from ones that are cut off anywhere.  What the
 * interpreters' own tables say is compared in tests/e2e/python/test_python_lines.py. */
#include "model/code/python_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PY39  0x0309
#define PY310 0x030a
#define PY311 0x030b
#define PY314 0x030e

static void test_lnotab(void **state)
{
	/* 0-3 line 10, 4-9 line 12, 10-11 line 7, from 12 on line 207. */
	static const unsigned char table[] = {4, 2, 6, 0xfb, 2, 127, 0, 73};

	(void)state;
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 0), 10);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 3), 10);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 4), 12);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 9), 12);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 10), 7);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 12), 207);
	assert_int_equal(python_line(PY39, table, sizeof(table), 10, 5000), 207);
	assert_int_equal(python_line(PY39, NULL, 0, 10, 8), 10);
	/* Half a pair says nothing. */
	assert_int_equal(python_line(PY39, table, 3, 10, 12), 12);
}

static void test_function_events(void **state)
{
	/* 0-3 line 11, 4-5 none, 6-11 line 8, 12-13 line 135 in two steps. */
	static const unsigned char table[] = {4, 1, 2, 0x80, 6, 0xfd, 0, 127, 2, 0};

	(void)state;
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 0), 11);
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 4), 0);
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 6), 8);
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 11), 8);
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 12), 135);
	assert_int_equal(python_line(PY310, table, sizeof(table), 10, 14), 0);
	assert_int_equal(python_line(PY310, NULL, 0, 10, 0), 0);
}

static void test_locations(void **state)
{
	static const unsigned char table[] = {
		0x80 | 15 << 3 | 1, /* 0-3 no line */
		0x80 | 10 << 3,
		0x05,
		0x06, /* 4-5 line 10 */
		0x80 | 12 << 3 | 7,
		0x05,
		0x06, /* 6-21 two lines on: 12 */
		0x80 | 3 << 3,
		0x24, /* 22-23 the same line */
		0x80 | 13 << 3,
		0x07, /* 24-25 three lines back: 9 */
		/* 26-27 1000 lines on, with columns */
		0x80 | 14 << 3,
		0x50,
		0x1f,
		0x00,
		0x01,
		0x02,
	};

	(void)state;
	for (unsigned int version = PY311; version <= PY314; version++) {
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 0), 0);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 4), 10);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 6), 12);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 21), 12);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 22), 12);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 24), 9);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 26),
				 1009);
		assert_int_equal(python_line((uint16_t)version, table, sizeof(table), 10, 28), 0);
	}
	assert_int_equal(python_line(PY311, table, sizeof(table), 10, UINT32_MAX), 0);
	assert_int_equal(python_line(PY311, NULL, 0, 10, 0), 0);
}

/* Lines that cannot be are none. */
static void test_lines_out_of_range(void **state)
{
	static const unsigned char lnotab[] = {0, 0x80};
	static const unsigned char long_number[] = {0x80 | 13 << 3, 0x7f, 0x7f, 0x7f, 0x7f,
						    0x7f,	    0x7f, 0x7f, 0x7f, 0x3f};

	(void)state;
	assert_int_equal(python_line(PY39, lnotab, sizeof(lnotab), 10, 0), 0);
	assert_int_equal(python_line(PY310, lnotab, sizeof(lnotab), 10, 0), 0);
	assert_int_equal(python_line(PY311, long_number, sizeof(long_number), 10, 0), 0);
	assert_int_equal(python_line(PY39, NULL, 0, UINT32_MAX, 0), 0);
}

/* Every length of every table in memory of just that size. */
static void test_cut_off(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (size_t size = 1; size < 200; size++) {
		unsigned char *table = malloc(size);

		assert_non_null(table);
		for (size_t i = 0; i < size; i++) {
			random = random * 1664525u + 1013904223u;
			table[i] = (unsigned char)(random >> 24);
		}
		for (uint16_t version = 0x0308; version <= PY314; version++)
			for (uint32_t offset = 0; offset < 600; offset += 7)
				assert_true(python_line(version, table, size, 1, offset) <=
					    INT32_MAX);
		free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lnotab),	  cmocka_unit_test(test_function_events),
		cmocka_unit_test(test_locations), cmocka_unit_test(test_lines_out_of_range),
		cmocka_unit_test(test_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
