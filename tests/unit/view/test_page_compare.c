/* Section "compare": both sides of the same, paths with what they had before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

/* The section of a run of 20 us beside one in which main calls nothing. */
static char *compared(void)
{
	struct synthetic *made = page_fixture_calls(),
			 *other = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	const struct loaded_run *before[1];
	struct page_fixture now, then;
	char *text;

	page_fixture_region(other, "main", 3);
	synthetic_thread(other, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(other, 0, MAIN, US(2));
	synthetic_leave(other, 0, MAIN, US(9));
	synthetic_close(other, US(10));
	synthetic_close(made, US(20));
	page_fixture_open(&then, other);
	page_fixture_open(&now, made);
	before[0] = then.loaded;
	now.page.options.before = before;
	now.page.options.before_count = 1;
	text = page_fixture_write(&now, &page_compare_section);
	page_fixture_close(&now);
	page_fixture_close(&then);
	return text;
}

static void test_nothing_to_compare_with_is_no_section(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_compare_section);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void test_sides_say_how_long_they_were(void **state)
{
	char *text = compared();
	const char *before = strstr(text, "\"before\":{"), *after = strstr(text, "\"after\":{");

	(void)state;
	assert_non_null(before);
	assert_non_null(after);
	assert_true(before < after);
	assert_has(before, "\"runs\":1,\"duration\":0.00001}");
	assert_has(after, "\"runs\":1,\"duration\":0.00002}");
	free(text);
}

static void test_regions_have_a_verdict_each(void **state)
{
	char *text = compared();
	const char *verdicts = strstr(text, "\"verdict\":[");

	(void)state;
	assert_has(text, "\"main\"");
	assert_has(text, "\"work\"");
	assert_non_null(verdicts);
	/* Of one run a side there is no chance to tell. */
	assert_has(verdicts, "\"chance\":[-1,-1,-1]");
	free(text);
}

static void test_paths_have_what_they_had_before_and_after(void **state)
{
	char *text = compared();
	struct page_blob_read blob = page_blob_of(text, "compare-tree");
	uint64_t numbers[3 * 8];

	(void)state;
	EXPECT_NUMBERS(&blob, 3, 0, 0, 2); /* work is below main, what is outside is not */
	for (size_t i = 0; i < 3; i++)
		numbers[i] = page_blob_number(&blob);
	assert_true(numbers[0] != numbers[1] && numbers[1] != numbers[2]);
	EXPECT_NUMBERS(&blob, 1000, 0, 0, US(7), 0, US(3), US(7), 0, US(3));
	EXPECT_NUMBERS(&blob, 1000, 2000, 0, US(4), US(8), US(8), US(12), US(8), US(8));
	EXPECT_END(&blob);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_compare_with_is_no_section),
		cmocka_unit_test(test_sides_say_how_long_they_were),
		cmocka_unit_test(test_regions_have_a_verdict_each),
		cmocka_unit_test(test_paths_have_what_they_had_before_and_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
