/* How groups of parts differ. */
#include "model/parts/parts.h"

#include "model/parts/parts_spread.h"
#include "parts_fixture.h"

static void test_spread_by_hand(void **state)
{
	struct fixture fixture = {0};
	struct parts_spread spread;

	(void)state;
	add_process(&fixture, make_worker(100), 1, "0");
	add_process(&fixture, make_worker(0), 2, "1");
	add_process(&fixture, make_worker(300), 3, "2");
	add_process(&fixture, make_worker(200), 4, "3");
	set_up(&fixture);
	assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
					  PARTS_BY_RANK, true, &spread),
			 KYMO_OK);
	assert_int_equal(spread.count, 4);
	assert_true(spread.sum == 600 && spread.min == 0 && spread.max == 300);
	assert_true(spread.mean == 150 && spread.median == 150);
	assert_int_equal(spread.min_at, 1);
	assert_int_equal(spread.max_at, 2);
	assert_float_equal(spread.imbalance, 1, 1e-12);
	assert_float_equal(spread.deviation, 129.0994, 1e-4);
	/* t(0.975; 3) = 3.1824, over the root of 4 values */
	assert_float_equal(spread.high - spread.mean, 3.1824 * 129.0994 / 2, 0.01);
	assert_float_equal(spread.mean - spread.low, 3.1824 * 129.0994 / 2, 0.01);
	parts_spread_release(&spread);
	tear_down(&fixture);
}

static void test_spread_of_one(void **state)
{
	struct fixture fixture = {0};
	struct parts_spread spread;

	(void)state;
	add_process(&fixture, make_worker(100), 1, NULL);
	set_up(&fixture);
	assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
					  PARTS_BY_RUN, true, &spread),
			 KYMO_OK);
	assert_int_equal(spread.count, 1);
	assert_true(isnan(spread.low) && isnan(spread.high));
	assert_true(spread.deviation == 0 && spread.imbalance == 0 && spread.median == 100);
	parts_spread_release(&spread);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread_by_hand),
		cmocka_unit_test(test_spread_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
