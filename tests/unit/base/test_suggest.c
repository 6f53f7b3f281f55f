/* Distances of names and the choice of the nearest. */
#include "base/text/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance("", ""), 0);
	assert_int_equal(suggest_distance("", "abc"), 3);
	assert_int_equal(suggest_distance("abc", ""), 3);
	assert_int_equal(suggest_distance("TRACE", "trace"), 0);
	assert_int_equal(suggest_distance("TRAEC", "TRACE"), 1); /* a swap is one edit */
	assert_int_equal(suggest_distance("RTACE", "TRACE"), 1);
	assert_int_equal(suggest_distance("TRAC", "TRACE"), 1);
	assert_int_equal(suggest_distance("TRACES", "TRACE"), 1);
	assert_int_equal(suggest_distance("kitten", "sitting"), 3);
}

static void test_distance_is_symmetric(void **state)
{
	static const char *const names[] = {"", "a", "ab", "ba", "profile", "porfiel", "TRACE_C"};
	size_t count = sizeof(names) / sizeof(*names);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			assert_int_equal(suggest_distance(names[i], names[j]),
					 suggest_distance(names[j], names[i]));
}

static void test_long_names_are_far(void **state)
{
	char name[SUGGEST_NAME_MAX + 2];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[SUGGEST_NAME_MAX] = '\0';
	assert_int_equal(suggest_distance(name, name), 0);
	name[SUGGEST_NAME_MAX] = 'x';
	name[SUGGEST_NAME_MAX + 1] = '\0';
	assert_int_equal(suggest_distance(name, name), SUGGEST_NAME_MAX + 1);
}

static const char *nearest_of(const char *name)
{
	static const char *const names[] = {"trace", "track", "profile", "quiet"};
	struct suggestion search;

	suggest_begin(&search, name);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		suggest_offer(&search, names[i]);
	return search.best;
}

static void test_search(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("trace"), "trace");
	assert_string_equal(nearest_of("trck"), "track");
	assert_string_equal(nearest_of("profiel"), "profile");
	assert_string_equal(nearest_of("trac"), "trace"); /* the first of equals */
	assert_null(nearest_of("quxxx"));
	assert_null(nearest_of("x"));
	assert_null(nearest_of(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_distance_is_symmetric),
		cmocka_unit_test(test_long_names_are_far),
		cmocka_unit_test(test_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
