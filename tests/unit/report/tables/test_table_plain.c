/* Tables for people: on a terminal, and as markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table_fixture.h"
#include "report/tables/table_plain.h"

static void test_plain(void **state)
{
	struct capture capture;

	(void)state;
	table_write_plain(&table, 0, false, capture_begin(&capture));
	capture_end(&capture, "   TIME   CALLS    PID  SHARE  NAME\n"
			      "1.50 ms       0  12345   12.3  größe\n"
			      "3.00 ms       -  12345   12.3  say \"a,b\"\n"
			      "4.50 ms  24,690  12345      -  a_long|name_that_may_be_cut\n");
}

static struct table_cell change_cell(void *context, size_t row, unsigned int column)
{
	static const double changes[] = {0.25, -0.25, 1e-12};

	(void)context;
	return (struct table_cell){.number = changes[row] * (column ? 200 : 1)};
}

static enum table_tone change_tone(void *context, size_t row)
{
	static const enum table_tone tones[] = {TABLE_BAD, TABLE_GOOD, TABLE_NEUTRAL};

	(void)context;
	return tones[row];
}

/* Signs say what colours say, and nothing changes by nothing. */
static void test_changes(void **state)
{
	static const struct table_column change_columns[] = {
		{"DIFF", "difference", TABLE_CHANGE, 0, 0, false},
		{"CHANGE", "change", TABLE_CHANGE_NUMBER, 1, 0, false},
	};
	static const struct table changes = {
		.columns = change_columns,
		.column_count = 2,
		.row_count = 3,
		.cell = change_cell,
		.tone = change_tone,
	};
	struct capture capture;

	(void)state;
	table_write_plain(&changes, 0, false, capture_begin(&capture));
	capture_end(&capture, "   DIFF  CHANGE\n"
			      "+250 ms   +50.0\n"
			      "-250 ms   -50.0\n"
			      "    0 s     0.0\n");
	table_write_plain(&changes, 0, true, capture_begin(&capture));
	capture_end(&capture, "\033[2m   DIFF  CHANGE\033[0m\n"
			      "\033[31m+250 ms   +50.0\033[0m\n"
			      "\033[32m-250 ms   -50.0\033[0m\n"
			      "    0 s     0.0\n");
}

static void test_plain_fits_its_width(void **state)
{
	struct capture capture;

	(void)state;
	table_write_plain(&table, 46, true, capture_begin(&capture));
	capture_end(&capture, "\033[2m   TIME   CALLS    PID  SHARE  NAME\033[0m\n"
			      "1.50 ms       0  12345   12.3  größe\n"
			      "3.00 ms       -  12345   12.3  say \"a,b\"\n"
			      "4.50 ms  24,690  12345      -  a_long|name_t..\n");
}

static void test_markdown(void **state)
{
	struct capture capture;

	(void)state;
	table_write_markdown(&table, capture_begin(&capture));
	capture_end(&capture,
		    "| TIME | CALLS | PID | SHARE | NAME |\n"
		    "|---:|---:|---:|---:|:---|\n"
		    "| 1.50 ms | 0 | 12345 | 12.3 | größe |\n"
		    "| 3.00 ms | - | 12345 | 12.3 | say \"a,b\" |\n"
		    "| 4.50 ms | 24,690 | 12345 | - | a\\_long\\|name\\_that\\_may\\_be\\_cut |\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_plain_fits_its_width),
		cmocka_unit_test(test_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
