/* Call paths of several trees as one: the same path is one node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"
#include "view/page_paths.h"

static struct page_paths paths_of(const struct page_fixture *fixture, size_t tree_count,
				  uint32_t thread)
{
	/* The same process as often as that: as of two that did the same. */
	const struct calltree *const trees[] = {fixture->loaded->trees[0],
						fixture->loaded->trees[0]};
	struct region_union *regions;
	struct page_paths paths;

	assert_int_equal(region_union_new(trees, tree_count, &regions), KYMO_OK);
	paths = page_paths_new(trees, tree_count, regions, NULL, 0, thread);
	region_union_free(regions);
	return paths;
}

static void expect_path(const struct page_paths *paths, uint32_t at, uint32_t region,
			uint64_t count, double self_ns, double total_ns)
{
	assert_in_range(at, 0, paths->count - 1);
	assert_int_equal(paths->paths[at].region, region);
	assert_int_equal(paths->paths[at].count, count);
	assert_true(paths->paths[at].self_ns == self_ns);
	assert_true(paths->paths[at].total_ns == total_ns);
}

static void test_processes_add_up(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_fixture fixture;

	(void)state;
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	for (unsigned int k = 1; k <= 2; k++) {
		struct page_paths paths = paths_of(&fixture, k, KYMO_NO_THREAD);
		uint32_t main_path = paths.paths[0].first_child;

		assert_int_equal(paths.count, 4);
		assert_int_equal(paths.rest_count, 1);
		expect_path(&paths, 0, paths.paths[0].region, 0, 0, k * US(20));
		expect_path(&paths, main_path, MAIN, k, k * US(4), k * US(12));
		expect_path(&paths, paths.paths[main_path].first_child, WORK, 2 * k, k * US(8),
			    k * US(8));
		expect_path(&paths, paths.paths[main_path].next_sibling, OUTSIDE, 0, k * US(8),
			    k * US(8));
		page_paths_release(&paths);
	}
	page_fixture_close(&fixture);
}

static void test_rest_stays_behind_smaller_ones(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	struct page_fixture fixture;
	struct page_paths paths;
	uint32_t first;

	(void)state;
	page_fixture_region(made, "main", 3);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, MAIN, US(1));
	synthetic_leave(made, 0, MAIN, US(2));
	synthetic_close(made, US(100));
	page_fixture_open(&fixture, made);
	paths = paths_of(&fixture, 1, KYMO_NO_THREAD);
	first = paths.paths[0].first_child;
	assert_int_equal(paths.paths[first].region, MAIN);
	assert_true(paths.paths[paths.paths[first].next_sibling].self_ns == US(99));
	page_paths_release(&paths);
	page_fixture_close(&fixture);
}

static void test_one_thread_has_its_own_paths_alone(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_fixture fixture;
	struct page_paths paths;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "worker", US(5));
	synthetic_enter(made, 1, WORK, US(5));
	synthetic_leave(made, 1, WORK, US(20));
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	paths = paths_of(&fixture, 2, 1);
	assert_int_equal(paths.count, 2);
	expect_path(&paths, 1, WORK, 1, US(15), US(15));
	page_paths_release(&paths);
	/* Of all threads work is beside main, and below it. */
	paths = paths_of(&fixture, 1, KYMO_NO_THREAD);
	assert_int_equal(paths.count, 5);
	expect_path(&paths, paths.paths[0].first_child, WORK, 1, US(15), US(15));
	page_paths_release(&paths);
	page_fixture_close(&fixture);
}

static void test_many_children_are_all_kept(void **state)
{
	enum { COUNT = 3000 };
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	struct page_fixture fixture;
	struct page_paths paths;
	uint32_t at, count = 0;
	uint64_t time = 0;

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		page_fixture_region(made, "f", i + 1);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	for (uint32_t i = 1; i <= COUNT; i++) {
		synthetic_enter(made, 0, i, time);
		synthetic_leave(made, 0, i, time += US(1 + i * UINT64_C(7919) % COUNT));
	}
	synthetic_close(made, time);
	page_fixture_open(&fixture, made);
	paths = paths_of(&fixture, 1, KYMO_NO_THREAD);
	at = paths.paths[0].first_child;
	for (; paths.paths[at].next_sibling != PAGE_PATHS_NONE; count++) {
		uint32_t next = paths.paths[at].next_sibling;

		assert_true(paths.paths[at].total_ns >= paths.paths[next].total_ns);
		at = next;
	}
	assert_int_equal(count, COUNT - 1);
	page_paths_release(&paths);
	page_fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_add_up),
		cmocka_unit_test(test_rest_stays_behind_smaller_ones),
		cmocka_unit_test(test_one_thread_has_its_own_paths_alone),
		cmocka_unit_test(test_many_children_are_all_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
