/* Names of callgrind files are told once and numbered. */
#include "import/formats/callgrind_names.h"

#include "import/text_lines.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static struct span name_of(struct callgrind_names *names, const char *text)
{
	struct span name = {0};

	assert_int_equal(callgrind_name(names, span_of(text), &name), CALLGRIND_NAMED);
	return name;
}

static void test_numbers_stand_for_names(void **state)
{
	struct callgrind_names names = {0};
	struct span name;

	(void)state;
	assert_true(span_equals(name_of(&names, "(3) main "), "main"));
	assert_true(span_equals(name_of(&names, "(0x4) leaf (1)"), "leaf (1)"));
	assert_true(span_equals(name_of(&names, " (3)"), "main"));
	assert_true(span_equals(name_of(&names, "(4)"), "leaf (1)"));
	assert_int_equal(callgrind_name(&names, span_of("(5)"), &name), CALLGRIND_UNKNOWN);
	assert_true(span_equals(name_of(&names, "(3) other"), "other")); /* parts number anew */
	assert_true(span_equals(name_of(&names, "(3)"), "other"));
	assert_int_equal(names.count, 2);
	callgrind_names_release(&names);
}

static void test_what_looks_like_a_number_and_is_none(void **state)
{
	static const char *const texts[] = {"main", "(below main)", "(3", "(", "()", "(3x) y", ""};
	struct callgrind_names names = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(span_equals(name_of(&names, texts[i]), texts[i]));
	assert_int_equal(names.count, 0);
	callgrind_names_release(&names);
}

static void test_many_names(void **state)
{
	static char texts[1000][24];
	struct callgrind_names names = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(texts[i], sizeof(texts[i]), "(%d) f%d", i * 64, i);
		name_of(&names, texts[i]);
	}
	for (int i = 0; i < 1000; i++) {
		char number[16], name[16];

		snprintf(number, sizeof(number), "(%d)", i * 64);
		snprintf(name, sizeof(name), "f%d", i);
		assert_true(span_equals(name_of(&names, number), name));
	}
	callgrind_names_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_stand_for_names),
		cmocka_unit_test(test_what_looks_like_a_number_and_is_none),
		cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
