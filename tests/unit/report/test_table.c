/* One table in every form. */
#include "report/tables/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/tables/table_json.h"

static const struct table_column columns[] = {
	{"TIME", "time", TABLE_DURATION, 3, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"SHARE", "share", TABLE_PERCENT, 1, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
};

static const char *const names[] = {"größe", "say \"a,b\"", "a_long|name_that_may_be_cut"};

static struct table_cell cell(void *context, size_t row, unsigned int column)
{
	(void)context;
	switch (column) {
	case 0:
		return (struct table_cell){.number = 0.0015 * (double)(row + 1)};
	case 1:
		return (struct table_cell){.is_missing = row == 1, .count = 12345 * row};
	case 2:
		return (struct table_cell){.count = 12345};
	case 3:
		return (struct table_cell){.number = row == 2 ? (double)INFINITY : 12.34};
	default:
		return (struct table_cell){.text = names[row]};
	}
}

static const struct table table = {
	.columns = columns,
	.column_count = 5,
	.row_count = 3,
	.cell = cell,
};

struct capture {
	char *text;
	size_t size;
	FILE *out;
};

static FILE *capture_begin(struct capture *capture)
{
	capture->out = open_memstream(&capture->text, &capture->size);
	assert_non_null(capture->out);
	return capture->out;
}

static void capture_end(struct capture *capture, const char *expected)
{
	fclose(capture->out);
	assert_string_equal(capture->text, expected);
	free(capture->text);
}

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
	table_write_csv(&changes, capture_begin(&capture));
	capture_end(&capture, "difference,change\n0.25,50\n-0.25,-50\n1e-12,2e-10\n");
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

static void test_csv(void **state)
{
	struct capture capture;

	(void)state;
	table_write_csv(&table, capture_begin(&capture));
	capture_end(&capture, "time,calls,pid,share,name\n"
			      "0.0015,0,12345,12.34,größe\n"
			      "0.003,,12345,12.34,\"say \"\"a,b\"\"\"\n"
			      "0.0045,24690,12345,,a_long|name_that_may_be_cut\n");
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

static void test_json(void **state)
{
	struct capture capture;
	struct json_writer json = {.out = capture_begin(&capture)};

	(void)state;
	table_write_json(&table, &json);
	capture_end(&capture, "[\n"
			      "{\"time\":0.0015,\"calls\":0,\"pid\":12345,\"share\":12.34,"
			      "\"name\":\"größe\"},\n"
			      "{\"time\":0.003,\"calls\":null,\"pid\":12345,\"share\":12.34,"
			      "\"name\":\"say \\\"a,b\\\"\"},\n"
			      "{\"time\":0.0045,\"calls\":24690,\"pid\":12345,\"share\":null,"
			      "\"name\":\"a_long|name_that_may_be_cut\"}]");
}

static void test_boxed_counts_characters(void **state)
{
	struct capture capture;

	(void)state;
	table_write_boxed(&table, "a banner", 24, capture_begin(&capture));
	capture_end(&capture, "|----------------------------------------------------------|\n"
			      "|                         A BANNER                         |\n"
			      "|----------------------------------------------------------|\n"
			      "| TIME  | CALLS | PID   | SHARE |           NAME           |\n"
			      "|-------|-------|-------|-------|--------------------------|\n"
			      "| 0.002 |     0 | 12345 |  12.3 | größe                    |\n"
			      "| 0.003 |     - | 12345 |  12.3 | say \"a,b\"                |\n"
			      "| 0.005 | 24690 | 12345 |     - | a_long|name_that_may_... |\n"
			      "|----------------------------------------------------------|\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_plain_fits_its_width),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_boxed_counts_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
