/* Groups of parts by rank. */
#include "model/parts/parts.h"

#include "model/parts/parts_group.h"
#include "model/parts/parts_spread.h"
#include "parts_fixture.h"

static void test_ranks_in_order(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	add_process(&fixture, make_worker(100), 50, "10");
	add_process(&fixture, make_worker(0), 60, NULL);
	add_process(&fixture, make_worker(300), 70, "2");
	set_up(&fixture);
	assert_int_equal(fixture.parts->count, 3);
	assert_int_equal(fixture.parts->rank_count, 2);
	assert_int_equal(fixture.parts->process_count, 3);
	assert_int_equal(fixture.parts->run_count, 1);
	assert_int_equal(parts_group_count(fixture.parts, PARTS_BY_RANK), 3);
	assert_named(&fixture, PARTS_BY_RANK, 0, "rank 2");
	assert_named(&fixture, PARTS_BY_RANK, 1, "rank 10");
	assert_named(&fixture, PARTS_BY_RANK, 2, "no rank");
	assert_named(&fixture, PARTS_BY_PROCESS, 0, "rank 2, worker 70");
	assert_named(&fixture, PARTS_BY_PROCESS, 2, "worker 60");
	assert_named(&fixture, PARTS_BY_THREAD, 1, "rank 10, worker 50, thread 0 (MainThread)");
	assert_named(&fixture, PARTS_BY_RUN, 0, "kymo-run");
	assert_int_equal(parts_by_default(fixture.parts), PARTS_BY_RANK);
	tear_down(&fixture);
}

/* The launcher is no rank that does no work; where it works, its time is not lost. */
static void test_what_has_no_rank(void **state)
{
	for (uint64_t launcher_ns = 0; launcher_ns <= 50; launcher_ns += 50) {
		struct fixture fixture = {0};
		struct parts_spread spread;

		(void)state;
		add_process(&fixture, make_worker(100), 1, "0");
		add_process(&fixture, make_worker(100), 2, "1");
		add_process(&fixture, make_worker(launcher_ns), 3, NULL);
		set_up(&fixture);
		assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
						  PARTS_BY_RANK, true, &spread),
				 KYMO_OK);
		assert_int_equal(spread.count, launcher_ns ? 3 : 2);
		assert_true(spread.sum == 200 + (double)launcher_ns);
		assert_int_equal(parts_spread_ranked(fixture.parts, &spread), KYMO_OK);
		assert_int_equal(spread.count, 2);
		assert_true(spread.sum == 200 && spread.mean == 100 && spread.min == 100);
		parts_spread_release(&spread);
		tear_down(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_in_order),
		cmocka_unit_test(test_what_has_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
