/* Blobs "flat", "links" and "errors": numbers of regions and of calls between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

static void test_regions_have_their_calls_and_times(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_flat_section);
	struct page_blob_read blob = page_blob_of(text, "flat");

	(void)state;
	EXPECT_NUMBERS(&blob, 3);
	EXPECT_NUMBERS(&blob, MAIN, 1, 1, 1, US(4), US(12), US(12), US(12), US(12), 0);
	/* Of 3 and 5 us the mean is 4 and the deviation the root of 2. */
	EXPECT_NUMBERS(&blob, WORK, 2, 2, 2, US(8), US(8), US(3), US(5), US(8), 1414);
	EXPECT_NUMBERS(&blob, OUTSIDE, 0, 0, 0, US(8), US(8), 0, 0, 0, 0);
	EXPECT_END(&blob);
	free(text);
}

static void test_links_have_callers_or_none(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_flat_section);
	struct page_blob_read blob = page_blob_of(text, "links");

	(void)state;
	EXPECT_NUMBERS(&blob, 2);
	EXPECT_NUMBERS(&blob, 0, MAIN, 1, US(4), US(12));
	EXPECT_NUMBERS(&blob, MAIN + 1, WORK, 2, US(8), US(8));
	EXPECT_END(&blob);
	free(text);
}

static void test_what_is_exact_has_no_errors(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_flat_section);

	(void)state;
	assert_lacks(text, "kymo-errors");
	free(text);
}

static void test_estimates_have_their_errors(void **state)
{
	struct flat_entry entries[] = {
		{.region = 5,
		 .is_primitive_estimated = true,
		 .estimate = {.self_below_ns = 1, .self_above_ns = 2, .total_below_ns = 40}},
	};
	struct flat_link links[] = {
		{.callee = 5,
		 .calls = {.count = 7, .low = 6, .high = 9},
		 .estimate = {.total_below_ns = 3, .total_above_ns = 30}},
	};
	struct flat_view flat = {.entries = entries,
				 .count = 1,
				 .links = links,
				 .link_count = 1,
				 .has_estimates = true};
	struct page_fixture fixture = {.page = {.flat = &flat}};
	char *text = page_fixture_write(&fixture, &page_flat_section);
	struct page_blob_read blob = page_blob_of(text, "errors");

	(void)state;
	EXPECT_NUMBERS(&blob, 2, 40, 1, 6, 9, 30);
	EXPECT_END(&blob);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions_have_their_calls_and_times),
		cmocka_unit_test(test_links_have_callers_or_none),
		cmocka_unit_test(test_what_is_exact_has_no_errors),
		cmocka_unit_test(test_estimates_have_their_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
