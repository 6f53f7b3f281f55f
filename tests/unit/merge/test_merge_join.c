/* Regions of runs that are read side by side: each once, in order, and found by run and place. */
#include "merge/merge_join.h"

#include "joined_fixture.h"

static const char *name_of(const struct recording *recording, uint32_t id)
{
	return id < recording->region_count ? recording->regions[id].name : "";
}

static void test_regions_become_one(void **state)
{
	struct problem problem = {""};
	struct recording *recording;
	uint32_t ids[2][3];

	(void)state;
	spilled_calls(spilled_root(), "b", 1, 5);
	spilled_calls(spilled_root(), "d", 1, 5);
	spill_now(); /* b, d, main */
	spilled_calls(spilled_root(), "b", 1, 5);
	spilled_calls(spilled_root(), "a", 1, 5);
	spill_now(); /* a, b, main */
	begin_joined();
	assert_int_equal(merge_join_regions(&joined, &spill, &problem), KYMO_OK);
	for (size_t run = 0; run < 2; run++)
		for (uint32_t rank = 0; rank < 3; rank++)
			ids[run][rank] = merge_join_region(&joined, run, rank);
	assert_int_equal(ids[0][0], ids[1][1]); /* b */
	assert_int_equal(ids[0][2], ids[1][2]); /* main */
	assert_int_equal(joined.thread_count, 1);
	assert_string_equal(joined.threads[0], "main");
	assert_int_equal(ids[0][2], joined.first_thread);
	assert_true(ids[1][0] < ids[0][0] && ids[0][0] < ids[0][1]); /* a, b, d */
	recording = open_joined();
	assert_string_equal(name_of(recording, ids[1][0]), "a");
	assert_string_equal(name_of(recording, ids[0][0]), "b");
	assert_string_equal(name_of(recording, ids[0][1]), "d");
	recording_free(recording);
}

/* Known ones by value, each once, whatever the order of the runs. */
static void test_metrics(void **state)
{
	static const uint32_t given[3][2] = {
		{KYMO_METRIC_PEAK_RSS, KYMO_METRIC_THREAD_CPU_CLOCK},
		{KYMO_METRIC_THREAD_CPU_CLOCK, KYMO_METRIC_PAGE_RSS},
		{KYMO_METRIC_PAGE_RSS, KYMO_METRIC_PEAK_RSS},
	};
	uint32_t ids[KYMO_METRICS_MAX], others[KYMO_METRICS_MAX];

	(void)state;
	assert_int_equal(merge_join_metrics(&spill, ids), 0);
	for (size_t i = 0; i < 6; i++) {
		const size_t run = i < 3 ? i : 5 - i;

		if (i == 3) { /* once more, in the other order */
			assert_int_equal(merge_join_metrics(&spill, others), 3);
			end_spill(NULL);
			begin_spill(NULL);
		}
		merge_tree_metric(&tree, given[run][0]);
		merge_tree_metric(&tree, given[run][1]);
		spilled_root();
		spill_now();
	}
	assert_int_equal(merge_join_metrics(&spill, ids), 3);
	assert_memory_equal(ids, others, 3 * sizeof(*ids));
	assert_true(ids[0] < ids[1] && ids[1] < ids[2]);
}

static void test_nothing(void **state)
{
	struct problem problem = {""};

	(void)state;
	begin_joined();
	assert_int_equal(merge_join_regions(&joined, &spill, &problem), KYMO_OK);
	assert_int_equal(joined.thread_count, 0);
	recording_free(open_joined());
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_spill, end_spill)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_regions_become_one),
		CASE(test_metrics),
		CASE(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
