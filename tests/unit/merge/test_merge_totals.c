/* Sums of all processes that are merged. */
#include "merge/merge_totals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/recording/recording.h"

static void add(struct merge_totals *totals, const struct kymo_header *header)
{
	struct recording recording = {.header = *header};

	merge_totals_read(totals, &recording, NULL);
}

static void test_costs_of_calls_are_means(void **state)
{
	const merge_natural huge = (merge_natural)UINT64_MAX * 1000;

	(void)state;
	assert_int_equal(merge_totals_mean(100, 0), 0);
	assert_int_equal(merge_totals_mean(10, 4), 3); /* rounded */
	assert_int_equal(merge_totals_mean(9, 4), 2);
	assert_true(merge_totals_mean(huge, 1000) == UINT64_MAX);
	assert_true(merge_totals_mean(huge, 10) == UINT64_MAX);
}

static void test_their_notes_are_known(void **state)
{
	(void)state;
	assert_true(merge_totals_has_note("merged calls cost ps"));
	assert_true(merge_totals_has_note("merged without samples"));
	assert_false(merge_totals_has_note("merged calls cost"));
	assert_false(merge_totals_has_note(""));
}

static void test_nothing_merged(void **state)
{
	struct merge_totals totals;

	(void)state;
	merge_totals_init(&totals);
	assert_true(totals.start_realtime_ns == UINT64_MAX);
	assert_int_equal(totals.duration_ns, 0);
	assert_false(totals.has_exit_status);
}

/* Whatever the order: the same. */
static void test_sums_and_the_first_start(void **state)
{
	const struct kymo_header headers[2] = {
		{.refused_chunks = 2,
		 .stack_aside_count = 1,
		 .coarse_late_ns = 10,
		 .start_realtime_ns = 500,
		 .flags = KYMO_HEADER_MERGED},
		{.refused_chunks = UINT64_MAX,
		 .stack_aside_count = 4,
		 .coarse_late_ns = 7,
		 .start_realtime_ns = 300,
		 .flags = KYMO_HEADER_MERGED},
	};

	(void)state;
	for (int first = 0; first < 2; first++) {
		struct merge_totals totals;

		merge_totals_init(&totals);
		add(&totals, &headers[first]);
		add(&totals, &headers[!first]);
		assert_true(totals.refused_chunks == UINT64_MAX); /* stays at the largest */
		assert_int_equal(totals.stack_aside_count, 5);
		assert_int_equal(merge_totals_header(&totals, false).coarse_late_ns, 17);
		assert_int_equal(totals.start_realtime_ns, 300);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_of_calls_are_means),
		cmocka_unit_test(test_their_notes_are_known),
		cmocka_unit_test(test_nothing_merged),
		cmocka_unit_test(test_sums_and_the_first_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
