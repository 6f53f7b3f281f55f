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

static enum table_tone change_tone(void *context, const void *row)
{
	static const enum table_tone tones[] = {TABLE_BAD, TABLE_GOOD, TABLE_NEUTRAL};

	(void)context;
	return tones[(const double *)row - change_values];
}

/* Signs say what colours say, and nothing changes by nothing. */
static void test_changes(void **state)
{
	static const struct table changes = {CHANGES, .tone = change_tone};
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
