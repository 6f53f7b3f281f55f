/* Blobs "tree-*": call paths depth first, columns one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

static void test_paths_come_depth_first_and_the_rest_last(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_tree_section);
	struct page_blob_read blob = page_blob_of(text, "tree-all");

	(void)state;
	EXPECT_NUMBERS(&blob, 3, 0);		    /* paths; the root's self */
	EXPECT_NUMBERS(&blob, 0, 0, 2);		    /* levels up: from work to the root */
	EXPECT_NUMBERS(&blob, MAIN, WORK, OUTSIDE); /* regions */
	EXPECT_NUMBERS(&blob, 1, 2, 0);		    /* calls */
	EXPECT_NUMBERS(&blob, US(4), US(8), US(8)); /* self */
	EXPECT_END(&blob);
	assert_lacks(text, "tree-0-");
	free(text);
}

static void test_largest_child_comes_first(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_blob_read blob;
	char *text;

	(void)state;
	synthetic_enter(made, 0, WORK, US(14)); /* beside main, and longer */
	synthetic_enter(made, 0, MAIN, US(15));
	synthetic_leave(made, 0, MAIN, US(16));
	synthetic_leave(made, 0, WORK, US(40));
	text = page_fixture_section(made, US(40), &page_tree_section);
	blob = page_blob_of(text, "tree-all");
	EXPECT_NUMBERS(&blob, 5, 0);
	EXPECT_NUMBERS(&blob, 0, 0, 2, 0, 2);
	EXPECT_NUMBERS(&blob, WORK, MAIN, MAIN, WORK, OUTSIDE);
	free(text);
}

static void test_threads_have_trees_of_their_own(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_blob_read blob;
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "worker", US(5));
	synthetic_enter(made, 1, WORK, US(5));
	synthetic_leave(made, 1, WORK, US(20));
	text = page_fixture_section(made, US(20), &page_tree_section);
	blob = page_blob_of(text, "tree-0-1");
	EXPECT_NUMBERS(&blob, 1, 0, 0, WORK, 1, US(15));
	EXPECT_END(&blob);
	blob = page_blob_of(text, "tree-0-0");
	EXPECT_NUMBERS(&blob, 3);
	blob = page_blob_of(text, "tree-all");
	EXPECT_NUMBERS(&blob, 4);
	free(text);
}

static void test_metrics_are_a_path_s_own_part(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_CPU_CLOCK,
						   KYMO_METRIC_CURRENT_PEAK_RSS};
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t region = page_fixture_region(made, "main", 1), outer, inner;
	struct page_blob_read blob;
	char *text;

	(void)state;
	synthetic_metrics(made, metrics, 2);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, region, US(1));
	outer = synthetic_current(made, 0);
	synthetic_enter(made, 0, region, US(2));
	inner = synthetic_current(made, 0);
	synthetic_leave(made, 0, region, US(3));
	synthetic_leave(made, 0, region, US(4));
	synthetic_metric_at(made, outer, 0)->sum = 100;
	synthetic_metric_at(made, inner, 0)->sum = 130;
	*synthetic_metric_at(made, outer, 1) = (struct kymo_node_metric){.count = 1, .max = 50};
	*synthetic_metric_at(made, inner, 1) = (struct kymo_node_metric){.count = 1, .max = 70};
	text = page_fixture_section(made, US(4), &page_tree_section);
	/* What adds up: 100 - 130 of the outer one's own; a level is as high as it was. */
	blob = page_blob_of(text, "tree-all-m0");
	EXPECT_NUMBERS(&blob, 59, 260, 0);
	EXPECT_END(&blob);
	blob = page_blob_of(text, "tree-all-m1");
	EXPECT_NUMBERS(&blob, 100, 140, 0);
	EXPECT_END(&blob);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_come_depth_first_and_the_rest_last),
		cmocka_unit_test(test_largest_child_comes_first),
		cmocka_unit_test(test_threads_have_trees_of_their_own),
		cmocka_unit_test(test_metrics_are_a_path_s_own_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
