/* What groups of parts are called. */
#include "model/parts/parts.h"

#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "parts_fixture.h"

static void assert_run_names(const char *const paths[2], const char *first, const char *second)
{
	struct fixture fixture = {.paths = {paths[0], paths[1]}};

	add_process(&fixture, make_worker(100), 50, NULL);
	add_process(&fixture, make_worker(100), 51, NULL);
	set_up(&fixture);
	assert_int_equal(fixture.parts->run_count, 2);
	assert_named(&fixture, PARTS_BY_RUN, 0, first);
	assert_named(&fixture, PARTS_BY_RUN, 1, second);
	tear_down(&fixture);
}

/* By what tells them apart, with as little else as can be. */
static void test_names_of_runs(void **state)
{
	(void)state;
	assert_run_names((const char *const[]){"a/2026_10.00/x.kymo", "b/2026_10.00/x.kymo"}, "a",
			 "b");
	assert_run_names((const char *const[]){"out/2026_10.00/x.kymo", "out/2026_10.01/y.kymo"},
			 "2026_10.00", "2026_10.01");
	assert_run_names((const char *const[]){"/t/a/1/x.kymo", "/t/b/2/x.kymo"}, "a/1", "b/2");
	assert_run_names((const char *const[]){"a/x.kymo", "ab/x.kymo"}, "a", "ab");
	assert_run_names((const char *const[]){"a/b/b/x.kymo", "a/b/x.kymo"}, "b", "b/b");
}

static void test_names_of_a_single_process(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	add_process(&fixture, make_worker(100), 50, NULL);
	set_up(&fixture);
	assert_int_equal(fixture.parts->rank_count, 0);
	assert_named(&fixture, PARTS_BY_THREAD, 0, "thread 0 (MainThread)");
	assert_named(&fixture, PARTS_BY_RANK, 0, "no rank");
	assert_int_equal(parts_by_default(fixture.parts), PARTS_BY_THREAD);
	tear_down(&fixture);
}

static void test_name_that_is_cut(void **state)
{
	struct fixture fixture = {0};
	char name[8];

	(void)state;
	add_process(&fixture, make_worker(100), 50, "1");
	add_process(&fixture, make_worker(100), 51, "2");
	set_up(&fixture);
	for (int by = 0; by < PARTS_BY_COUNT; by++) {
		parts_group_name(fixture.parts, (enum parts_by)by, 0, name, sizeof(name));
		assert_true(strlen(name) < sizeof(name));
	}
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_runs),
		cmocka_unit_test(test_names_of_a_single_process),
		cmocka_unit_test(test_name_that_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
