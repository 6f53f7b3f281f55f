/* Widths of texts on a terminal, and where they are cut. */
#include "text/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/text/utf8.h"
#include "text/unicode.h"

#define WIDE   "\xe6\xbc\xa2"
#define ACUTE  "\xcc\x81" /* over the letter before */
#define JOINER "\xe2\x80\x8d"
#define WOMAN  "\xf0\x9f\x91\xa9"
#define GIRL   "\xf0\x9f\x91\xa7"

/* Without utf8proc every character is one. */
static void assert_cells(const char *text, size_t cells)
{
	assert_int_equal(cells_of(text), unicode_is_known() ? cells : utf8_count(text));
}

static void test_widths(void **state)
{
	(void)state;
	assert_cells("", 0);
	assert_cells("plain", 5);
	assert_cells("gr\xc3\xb6\xc3\x9f"
		     "e",
		     5);
	assert_cells(WIDE WIDE "()", 6);
	assert_cells("cafe" ACUTE, 4);
	assert_cells("\xef\xbd\xb1", 1); /* half as wide as other kana */
	assert_cells("\xef\xbc\xa1", 2); /* twice as wide as other letters */
	assert_cells(WOMAN, 2);
	assert_cells(WOMAN JOINER GIRL, 4); /* joined by some terminals only */
	assert_cells("\xe2\x80\xa6\xe2\x86\x92", 2);
	assert_cells("a\xff", 2);
	assert_int_equal(cells_of_part("abc" WIDE, 2), 2);
	assert_int_equal(cells_of_part("a" WIDE "b", 4), unicode_is_known() ? 3 : 2);
}

static void test_cuts(void **state)
{
	(void)state;
	assert_int_equal(cells_cut("plain", 3), 3);
	assert_int_equal(cells_cut("plain", 5), 5);
	assert_int_equal(cells_cut("plain", 9), 5);
	assert_int_equal(cells_cut("plain", 0), 0);
	if (!unicode_is_known()) {
		assert_int_equal(cells_cut(WIDE WIDE, 1), strlen(WIDE));
		return;
	}
	assert_int_equal(cells_cut(WIDE WIDE, 1), 0);
	assert_int_equal(cells_cut(WIDE WIDE, 3), strlen(WIDE));
	assert_int_equal(cells_cut("e" ACUTE "e" ACUTE, 1), strlen("e" ACUTE));
	assert_int_equal(cells_cut("a" WOMAN JOINER GIRL, 4), 1);
	assert_int_equal(cells_cut("a" WOMAN JOINER GIRL, 5), strlen("a" WOMAN JOINER GIRL));
}

static void test_ends(void **state)
{
	(void)state;
	assert_int_equal(cells_skip("plain", 3), 2);
	assert_int_equal(cells_skip("plain", 5), 0);
	assert_int_equal(cells_skip("plain", 9), 0);
	assert_int_equal(cells_skip("plain", 0), 5);
	assert_int_equal(cells_skip("", 0), 0);
	if (!unicode_is_known())
		return;
	assert_int_equal(cells_skip(WIDE WIDE, 1), 2 * strlen(WIDE));
	assert_int_equal(cells_skip(WIDE WIDE, 3), strlen(WIDE));
	assert_int_equal(cells_skip("e" ACUTE "e" ACUTE, 1), strlen("e" ACUTE));
}

static uint64_t seed = 1;

static unsigned int draw(unsigned int below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)((seed >> 33) % below);
}

static void draw_text(char *text)
{
	static const char *const parts[] = {"a", " ", "\xc3\xa4", WIDE, ACUTE, WOMAN JOINER GIRL};

	*text = '\0';
	for (unsigned int count = draw(20); count > 0; count--)
		strcat(text, parts[draw(sizeof(parts) / sizeof(*parts))]);
}

static bool begins_with(const char *text, const char *part)
{
	return strncmp(text, part, strlen(part)) == 0;
}

/* Nothing of what belongs to a character lies behind the cut. */
static void check_cut(const char *text, size_t cells)
{
	size_t length = cells_cut(text, cells);

	assert_in_range(length, 0, strlen(text));
	assert_in_range(cells_of_part(text, length), 0, cells);
	assert_true(utf8_step(text + length) > 0 || !text[length]);
	if (!unicode_is_known() || length == 0)
		return;
	assert_false(begins_with(text + length, ACUTE));
	assert_false(begins_with(text + length, JOINER));
	assert_false(length > strlen(JOINER) &&
		     begins_with(text + length - strlen(JOINER), JOINER));
	/* Nor was there room for more. */
	assert_true(!text[length] || cells_of_part(text, length) + 4 > cells);
}

static void test_cut_at_every_width(void **state)
{
	char text[512];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		draw_text(text);
		for (size_t cells = 0; cells < 45; cells++)
			check_cut(text, cells);
		assert_int_equal(cells_cut(text, cells_of(text)), strlen(text));
	}
}

/* Lines one after the other come to an end, and are the text. */
static void test_lines_end(void **state)
{
	char text[512];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		size_t cells = draw(6), length;

		draw_text(text);
		for (const char *at = text; *at; at += length) {
			length = cells_line(at, cells);
			assert_in_range(length, 1, strlen(at));
			assert_true(cells < 2 || cells_of_part(at, length) <= cells);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),	  cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_ends),	  cmocka_unit_test(test_cut_at_every_width),
		cmocka_unit_test(test_lines_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
