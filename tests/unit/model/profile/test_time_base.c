/* What percentages of a run are of: all time of its threads, in regions, outside of them, or taken
 * by measuring. */
#include "model/profile/time_base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/profile/flat_view.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define NS 1000 /* picoseconds */

struct fixture {
	struct synthetic *made;
	struct recording *recording;
	const struct calltree *tree;
};

static void open_made(struct fixture *fixture, uint64_t end, bool is_raw)
{
	struct calltree *tree;

	synthetic_close(fixture->made, end);
	fixture->recording = synthetic_open(fixture->made);
	fixture->recording->is_raw = is_raw;
	assert_int_equal(calltree_new(fixture->recording, &tree, NULL), KYMO_OK);
	fixture->tree = tree;
}

static void release(struct fixture *fixture)
{
	calltree_free((struct calltree *)fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->made);
}

static void visit(struct fixture *fixture, uint32_t thread, uint64_t from, uint64_t to)
{
	synthetic_enter(fixture->made, thread, 1, from);
	synthetic_leave(fixture->made, thread, 1, to);
}

/* Two threads of 1000 ns: one is in a region for 600 of them, in two parts, the other for 100 of
 * the 500 after which it ends. */
static struct fixture two_threads(bool is_calibrated, bool is_raw)
{
	struct fixture fixture = {.made = synthetic_new(KYMO_HEADER_PROFILE)};

	synthetic_region(fixture.made, KYMO_REGION_PYTHON, "f");
	synthetic_thread(fixture.made, KYMO_NO_THREAD, NULL, 0);
	synthetic_thread(fixture.made, 0, NULL, 0);
	if (is_calibrated) {
		synthetic_header(fixture.made)->cost_enter_exit_ps = 30 * NS;
		synthetic_header(fixture.made)->cost_enter_exit_inside_ps = 10 * NS;
	}
	visit(&fixture, 0, 100, 500);
	visit(&fixture, 0, 700, 900);
	visit(&fixture, 1, 300, 400);
	synthetic_thread_end(fixture.made, 1, 500);
	open_made(&fixture, 1000, is_raw);
	return fixture;
}

static void assert_base(struct time_base base, double regions, double outside, double measuring)
{
	assert_float_equal(base.regions_ns, regions, 1e-6);
	assert_float_equal(base.outside_ns, outside, 1e-6);
	assert_float_equal(base.measuring_ns, measuring, 1e-6);
	assert_float_equal(base.whole_ns, regions + outside + measuring, 1e-6);
}

static void test_in_and_outside(void **state)
{
	struct fixture fixture = two_threads(false, false);
	struct time_base base = time_base_of(&fixture.tree, 1, KYMO_NO_THREAD);

	(void)state;
	assert_base(base, 700, 800, 0);
	assert_int_equal(base.thread_count, 2);
	assert_float_equal(time_base_percent(&base, 300), 20, 1e-6);
	base = time_base_of(&fixture.tree, 1, 1);
	assert_base(base, 100, 400, 0);
	assert_int_equal(base.thread_count, 1);
	assert_base(time_base_of(&fixture.tree, 1, 2), 0, 0, 0);
	release(&fixture);
}

/* Whatever is taken out of the times of calls, the base stays. */
static void test_measuring_is_a_part(void **state)
{
	struct fixture fixture = two_threads(true, false);

	(void)state;
	assert_base(time_base_of(&fixture.tree, 1, KYMO_NO_THREAD), 670, 740, 90);
	assert_base(time_base_of(&fixture.tree, 1, 0), 580, 360, 60);
	assert_base(time_base_of(&fixture.tree, 1, 1), 90, 380, 30);
	release(&fixture);
	fixture = two_threads(true, true);
	assert_base(time_base_of(&fixture.tree, 1, KYMO_NO_THREAD), 700, 800, 0);
	release(&fixture);
}

static void test_nothing(void **state)
{
	struct time_base base = time_base_of(NULL, 0, KYMO_NO_THREAD);

	(void)state;
	assert_base(base, 0, 0, 0);
	assert_true(time_base_percent(&base, 0) == 0);
}

static void test_words(void **state)
{
	struct time_base base = {2e9, 1.5e9, 0.4e9, 0.1e9, 3};
	char text[TIME_BASE_TEXT_MAX];

	(void)state;
	assert_string_equal(time_base_text(&base, text),
			    "2.000 s of 3 threads: 1.500 s in regions, 400 ms outside any recorded "
			    "region, 100 ms measuring");
	base = (struct time_base){1e9, 1e9, 0, 0, 1};
	assert_string_equal(time_base_text(&base, text), "1.000 s of 1 thread: all in regions");
}

/* Rows of the flat profile add up to all, the rest is last, whatever the order. */
static void test_rows_add_up(void **state)
{
	struct fixture fixture = two_threads(true, false);
	struct region_union *regions;
	struct flat_view *view;
	double self_ns = 0;

	(void)state;
	assert_int_equal(region_union_new(&fixture.tree, 1, &regions), KYMO_OK);
	assert_int_equal(flat_view_new(&fixture.tree, 1, regions, KYMO_NO_THREAD, &view), KYMO_OK);
	assert_int_equal(view->count, 3);
	assert_int_equal(view->rest_count, 2);
	for (int order = ORDER_TOTAL; order <= ORDER_MEAN; order++) {
		flat_view_sort(view, (enum view_order)order);
		assert_false(flat_entry_is_rest(view, 0));
		assert_int_equal(view->entries[1].region, regions->outside);
		assert_int_equal(view->entries[2].region, regions->measuring);
	}
	for (size_t i = 0; i < view->count; i++)
		self_ns += view->entries[i].self_ns;
	assert_float_equal(self_ns, view->base.whole_ns, 1e-6);
	assert_string_equal(regions->regions[regions->outside]->name,
			    "[outside any recorded region]");
	flat_view_free(view);
	region_union_free(regions);
	release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_and_outside), cmocka_unit_test(test_measuring_is_a_part),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_words),
		cmocka_unit_test(test_rows_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
