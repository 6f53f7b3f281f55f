/* Widths and colours of outputs that are no terminals. */
#include "cli/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

static void assert_widths(FILE *out, uint64_t given, unsigned int text, unsigned int table)
{
	unsigned int text_width, table_width;

	terminal_widths(out, given, &text_width, &table_width);
	assert_int_equal(text_width, text);
	assert_int_equal(table_width, table);
}

/* A file: names are whole in it, unless a width is given. */
static void test_files(void **state)
{
	FILE *file = fdopen(memfd_create("file", MFD_CLOEXEC), "w");

	(void)state;
	assert_non_null(file);
	assert_int_equal(terminal_width(file), TEXT_WIDTH);
	assert_widths(file, WIDTH_NOT_GIVEN, TEXT_WIDTH, 0);
	assert_widths(file, 120, 120, 120);
	assert_widths(file, 20, TEXT_WIDTH, 20); /* texts are not made that narrow */
	assert_widths(file, 0, TEXT_WIDTH, 0);
	assert_widths(file, UINT64_C(1) << 40, TEXT_WIDTH, 0);
	fclose(file);
}

static void test_pipes(void **state)
{
	int ends[2];
	FILE *out;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	out = fdopen(ends[1], "w");
	assert_non_null(out);
	assert_widths(out, WIDTH_NOT_GIVEN, TEXT_WIDTH, TEXT_WIDTH);
	assert_widths(out, 0, TEXT_WIDTH, 0);
	fclose(out);
	close(ends[0]);
}

static void test_no_colours_where_there_is_no_terminal(void **state)
{
	FILE *file = fdopen(memfd_create("file", MFD_CLOEXEC), "w");
	struct settings *settings = settings_new();

	(void)state;
	assert_true(file && settings);
	assert_false(terminal_has_colour(file, settings));
	settings_free(settings);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_pipes),
		cmocka_unit_test(test_no_colours_where_there_is_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
