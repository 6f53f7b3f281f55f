/* Cells as texts: exact ones, and those for people; nothing is written beyond the cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "report/tables/table.h"
#include "report/tables/table_format.h"

static const char *exact(struct table_column column, struct table_cell cell)
{
	static char buffer[TABLE_CELL_MAX];

	return table_format_exact(&column, &cell, buffer);
}

static const char *plain(struct table_column column, struct table_cell cell)
{
	static char buffer[TABLE_CELL_MAX];

	return table_format_plain(&column, &cell, buffer);
}

static const struct table_column counts = {.kind = TABLE_COUNT}, ids = {.kind = TABLE_ID},
				 numbers = {.kind = TABLE_NUMBER, .precision = 2},
				 changes = {.kind = TABLE_CHANGE_NUMBER, .precision = 1},
				 durations = {.kind = TABLE_CHANGE}, texts = {.kind = TABLE_TEXT},
				 scientific = {.kind = TABLE_NUMBER,
					       .precision = 1,
					       .is_scientific = true};

static void test_cells_without_a_value(void **state)
{
	(void)state;
	assert_string_equal(exact(counts, (struct table_cell){.is_missing = true}), "-");
	assert_string_equal(plain(texts, (struct table_cell){.is_missing = true}), "-");
	assert_string_equal(exact(numbers, (struct table_cell){.number = (double)NAN}), "-");
	assert_string_equal(plain(durations, (struct table_cell){.number = (double)INFINITY}), "-");
	assert_string_equal(exact(counts, (struct table_cell){.number = (double)NAN}), "0");
}

static void test_exact_cells(void **state)
{
	(void)state;
	assert_string_equal(
		exact(counts, (struct table_cell){.count = UINT64_MAX, .is_about = true}),
		"~18446744073709551615");
	assert_string_equal(exact(ids, (struct table_cell){.count = 12345}), "12345");
	assert_string_equal(exact(numbers, (struct table_cell){.number = -1.005e6}), "-1005000.00");
	assert_string_equal(exact(numbers, (struct table_cell){.number = 1e300}), "1.00e+300");
	assert_string_equal(exact(scientific, (struct table_cell){.number = 1234}), "1.2e+03");
	assert_string_equal(exact(texts, (struct table_cell){.text = "a"}), "a");
	/* A name must not move the cursor. */
	assert_null(strpbrk(exact(texts, (struct table_cell){.text = "a\033[2J\n"}), "\033\n"));
}

static void test_cells_for_people(void **state)
{
	(void)state;
	assert_string_equal(plain(counts, (struct table_cell){.count = 1234567}), "1,234,567");
	assert_string_equal(plain(counts, (struct table_cell){.count = 1234567, .is_about = true}),
			    "~1,234,567");
	assert_string_equal(plain(ids, (struct table_cell){.count = 1234567}), "1234567");
}

static void test_changes_have_signs(void **state)
{
	(void)state;
	assert_string_equal(plain(durations, (struct table_cell){.number = 0.25}), "+250 ms");
	assert_string_equal(plain(durations, (struct table_cell){.number = -0.25}), "-250 ms");
	assert_string_equal(plain(durations, (struct table_cell){.number = -1e-12}), "0 s");
	assert_string_equal(plain(changes, (struct table_cell){.number = 3.14}), "+3.1");
	assert_string_equal(plain(changes, (struct table_cell){.number = -0.04}), "0.0");
	assert_string_equal(plain(changes, (struct table_cell){.number = 7, .is_about = true}),
			    "~+7.0");
}

/* Every kind and size of number, with the byte behind the cell looked at. */
static void test_nothing_is_written_beyond_the_cell(void **state)
{
	struct {
		char text[TABLE_CELL_MAX];
		char behind[8];
	} room;

	(void)state;
	for (int kind = TABLE_COUNT; kind <= TABLE_CHANGE_NUMBER; kind++) {
		for (int power = -320; power <= 304; power += 4) {
			for (int way = 0; way < 4; way++) {
				const struct table_column column = {.kind = (enum table_kind)kind,
								    .precision = 12};
				const struct table_cell cell = {
					.is_about = way & 1,
					.number = (way & 2 ? -9.99 : 9.99) * pow(10, power),
					.count = UINT64_MAX,
				};

				memset(&room, 'x', sizeof(room));
				table_format_plain(&column, &cell, room.text);
				assert_true(strnlen(room.text, sizeof(room.text)) <
					    sizeof(room.text));
				assert_memory_equal(room.behind, "xxxxxxxx", 8);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells_without_a_value),
		cmocka_unit_test(test_exact_cells),
		cmocka_unit_test(test_cells_for_people),
		cmocka_unit_test(test_changes_have_signs),
		cmocka_unit_test(test_nothing_is_written_beyond_the_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
