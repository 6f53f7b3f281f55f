/* Sentences wrapped to a width. */
#include "text/wrapped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *wrapped(const char *text, size_t column, size_t width)
{
	size_t size;
	char *written;
	FILE *out = open_memstream(&written, &size);

	wrapped_write(text, column, width, out);
	fclose(out);
	return written;
}

static void assert_wrapped(const char *text, size_t column, size_t width, const char *expected)
{
	char *written = wrapped(text, column, width);

	assert_string_equal(written, expected);
	free(written);
}

static void test_lines(void **state)
{
	(void)state;
	assert_wrapped("aa bb cc", 0, 5, "aa bb\ncc\n");
	assert_wrapped("aa bb cc", 0, 4, "aa\nbb\ncc\n");
	assert_wrapped("aa bb cc", 0, 8, "aa bb cc\n");
	assert_wrapped("aa bb cc", 2, 7, "aa bb\n  cc\n");
	assert_wrapped("aa  bb", 0, 0, "aa bb\n");
	assert_wrapped("", 4, 10, "\n");
}

static void test_long_words_stay_whole(void **state)
{
	(void)state;
	assert_wrapped("a bbbbbbbb c", 0, 4, "a\nbbbbbbbb\nc\n");
	assert_wrapped("bbbbbbbb", 3, 4, "bbbbbbbb\n");
}

static void test_cells_count_not_bytes(void **state)
{
	(void)state;
	assert_wrapped("\u00e4\u00e4 bb cc", 0, 5, "\u00e4\u00e4 bb\ncc\n");
}

/* Whatever the width: the words are the same, in order, and no line has more than fits. */
static void test_every_width(void **state)
{
	static const char text[] = "the run spent a third of its time in waits of one lock";

	(void)state;
	for (size_t width = 1; width < 70; width++) {
		char *written = wrapped(text, 0, width);
		size_t length = strlen(written);

		for (char *line = written; *line; line += strcspn(line, "\n") + 1) {
			size_t cells = strcspn(line, "\n");

			assert_true(cells <= width || !memchr(line, ' ', cells));
		}
		for (size_t i = 0; i + 1 < length; i++)
			if (written[i] == '\n')
				written[i] = ' ';
		assert_int_equal(length, sizeof(text));
		assert_memory_equal(written, text, sizeof(text) - 1);
		free(written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_words_stay_whole),
		cmocka_unit_test(test_cells_count_not_bytes),
		cmocka_unit_test(test_every_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
