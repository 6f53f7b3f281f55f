/* The table of kymo top: shares, order, and what fits a terminal. */
#include "cli/attach/top_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct framecount functions[] = {
	{.function = "a",
	 .file = "/x/a.py",
	 .line = 3,
	 .self = 10,
	 .total = 80,
	 .self_now = 4,
	 .total_now = 4},
	{.function = "b", .self = 30, .total = 90, .self_now = 1, .total_now = 8},
	{.function = "c\033[2J", .self = 30, .total = 40, .self_now = 1, .total_now = 1},
};

static struct framecounts counts = {.functions = functions,
				    .count = 3,
				    .samples = 100,
				    .samples_now = 8,
				    .observations = 50,
				    .observations_now = 4,
				    .gil_held = 40,
				    .gil_held_now = 1,
				    .gil_waits_now = 6,
				    .active_now = 8,
				    .lost = 2};

/* The caller frees. */
static char *table_of(const struct top_view *view)
{
	struct watch watch = {.has_python = true, .python = {.version = 0x30c}, .count = 3};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	watch.target.pid = 9;
	strcpy(watch.target.name, "app.py");
	top_table(view, &watch, &counts, out);
	fclose(out);
	return text;
}

static void test_the_whole_table(void **state)
{
	char *text = table_of(&(struct top_view){TOP_SELF_NOW, 80, 100, 20});

	(void)state;
	assert_string_equal(text, "process 9  app.py  Python 3.12\n"
				  "GIL held 25 % (80 % in all), waited for by 1.5 threads\n"
				  "threads 3, active 2.0  samples 100 at 80 Hz, lost 2\n\n"
				  " % SELF  % TOTAL  ALL SELF ALL TOTAL  FUNCTION\n"
				  "   50.0     50.0      10.0      80.0  a (a.py:3)\n"
				  "   12.5    100.0      30.0      90.0  b\n"
				  "   12.5     12.5      30.0      40.0  c\\x1b[2J\n");
	free(text);
}

/* The function of each row, by its first letter. */
static void assert_order(enum top_order order, unsigned int rows, const char *expected)
{
	char *text = table_of(&(struct top_view){order, 80, 100, rows}), letters[8] = "";
	size_t count = 0;

	for (char *line = strstr(text, "FUNCTION\n") + 9; *line; line = strchr(line, '\n') + 1)
		letters[count++] = line[38];
	letters[count] = '\0';
	assert_string_equal(letters, expected);
	free(text);
}

static void test_orders(void **state)
{
	(void)state;
	assert_order(TOP_SELF_NOW, 9, "abc");
	assert_order(TOP_TOTAL_NOW, 9, "bac");
	assert_order(TOP_SELF, 9, "bca");
	assert_order(TOP_TOTAL, 9, "bac");
	assert_order(TOP_TOTAL, 2, "ba");
}

/* Names are cut to the terminal's width; one that is too narrow is taken as wider. */
static void test_names_are_cut(void **state)
{
	char name[101], *text, *line;

	(void)state;
	memset(name, 'n', 100);
	name[100] = '\0';
	functions[1].function = name;
	text = table_of(&(struct top_view){TOP_TOTAL, 80, 60, 1});
	line = strstr(text, "nnn");
	assert_int_equal(strspn(line, "n"), 60 - 38);
	free(text);
	text = table_of(&(struct top_view){TOP_TOTAL, 80, 20, 1});
	line = strstr(text, "nnn");
	assert_int_equal(strspn(line, "n"), 40);
	free(text);
	functions[1].function = "b";
}

/* Before anything was seen nothing is divided by. */
static void test_an_empty_table(void **state)
{
	const struct framecounts all = counts;
	char *text;

	(void)state;
	counts = (struct framecounts){.functions = functions};
	text = table_of(&(struct top_view){TOP_TOTAL, 0, 80, 20});
	counts = all;
	assert_non_null(strstr(text, "GIL held 0 % (0 % in all), waited for by 0.0 threads\n"));
	assert_non_null(strstr(text, "FUNCTION\n"));
	assert_null(strstr(text, "nan"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_whole_table),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_names_are_cut),
		cmocka_unit_test(test_an_empty_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
