/* The flat profile over several processes. */
#include "model/profile/flat_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *processes[2];
	struct recording *recordings[2];
	const struct calltree *trees[2];
	struct region_union *regions;
	struct flat_view *view;
};

/* main() calls f twice, f calls itself once; the second process numbers its regions in
 * another order. */
static struct synthetic *make_process(bool is_second)
{
	struct synthetic *process = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t first = synthetic_region(process, KYMO_REGION_PYTHON, is_second ? "f" : "main");
	uint32_t second = synthetic_region(process, KYMO_REGION_PYTHON, is_second ? "main" : "f");
	uint32_t outer = is_second ? second : first, inner = is_second ? first : second;

	synthetic_thread(process, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(process, 0, outer, 0);
	for (uint64_t at = 10; at <= 50; at += 40) {
		synthetic_enter(process, 0, inner, at);
		synthetic_enter(process, 0, inner, at + 5);
		synthetic_leave(process, 0, inner, at + 15);
		synthetic_leave(process, 0, inner, at + 30);
	}
	synthetic_leave(process, 0, outer, 100);
	synthetic_close(process, 100);
	return process;
}

static void set_up(struct fixture *fixture, uint32_t thread)
{
	for (int i = 0; i < 2; i++) {
		struct calltree *tree;

		fixture->processes[i] = make_process(i == 1);
		fixture->recordings[i] = synthetic_open(fixture->processes[i]);
		assert_int_equal(calltree_new(fixture->recordings[i], &tree, NULL), KYMO_OK);
		fixture->trees[i] = tree;
	}
	assert_int_equal(region_union_new(fixture->trees, 2, &fixture->regions), KYMO_OK);
	assert_int_equal(flat_view_new(fixture->trees, 2, fixture->regions, thread, &fixture->view),
			 KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	flat_view_free(fixture->view);
	region_union_free(fixture->regions);
	for (int i = 0; i < 2; i++) {
		calltree_free((struct calltree *)fixture->trees[i]);
		recording_free(fixture->recordings[i]);
		synthetic_free(fixture->processes[i]);
	}
}

static const char *name_at(const struct fixture *fixture, size_t index)
{
	return fixture->regions->regions[fixture->view->entries[index].region]->name;
}

static void test_merged_by_region(void **state)
{
	struct fixture fixture;
	const struct flat_entry *f;

	(void)state;
	set_up(&fixture, KYMO_NO_THREAD);
	assert_int_equal(fixture.view->count, 2);
	flat_view_sort(fixture.view, ORDER_CALLS);
	assert_string_equal(name_at(&fixture, 0), "f");
	f = &fixture.view->entries[0];
	assert_int_equal(f->calls, 8);
	assert_int_equal(f->primitive_calls, 4);
	assert_int_equal(f->total_ns, 120);
	assert_int_equal(f->self_ns, 120);
	assert_int_equal(f->min_ns, 10);
	assert_int_equal(f->max_ns, 30);
	assert_int_equal(f->visits_ns, 160);
	/* Four times 30 and four times 10, one degree of freedom less. */
	assert_true(fabs(flat_entry_deviation(f) - sqrt(800.0 / 7)) < 1e-6);
	assert_int_equal(fixture.view->base.whole_ns, 200);
	tear_down(&fixture);
}

static void test_deviation_of_few(void **state)
{
	struct flat_entry entry = {.calls = 1, .closed_calls = 1, .visits_ns = 3};

	(void)state;
	entry.sum_squares_ns = 9;
	assert_true(flat_entry_deviation(&entry) == 0);
	entry.closed_calls = 3; /* even, but for what is lost in the sums */
	entry.sum_squares_ns = 2.999999;
	assert_true(flat_entry_deviation(&entry) == 0);
}

static void test_orders(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, KYMO_NO_THREAD);
	flat_view_sort(fixture.view, ORDER_TOTAL);
	assert_string_equal(name_at(&fixture, 0), "main");
	flat_view_sort(fixture.view, ORDER_SELF);
	assert_string_equal(name_at(&fixture, 0), "f");
	flat_view_sort(fixture.view, ORDER_NAME);
	assert_string_equal(name_at(&fixture, 0), "f");
	flat_view_sort(fixture.view, ORDER_MEAN);
	assert_string_equal(name_at(&fixture, 0), "main");
	tear_down(&fixture);
}

static void test_links(void **state)
{
	struct fixture fixture;
	uint64_t from_main = 0, from_itself = 0, from_nobody = 0;

	(void)state;
	set_up(&fixture, KYMO_NO_THREAD);
	for (size_t i = 0; i < fixture.view->link_count; i++) {
		const struct flat_link *link = &fixture.view->links[i];
		const char *callee = fixture.regions->regions[link->callee]->name;

		if (!link->has_caller)
			from_nobody += link->calls.count;
		else if (link->caller == link->callee)
			from_itself += link->calls.count;
		else if (strcmp(callee, "f") == 0)
			from_main += link->calls.count;
	}
	assert_int_equal(from_main, 4);
	assert_int_equal(from_itself, 4);
	assert_int_equal(from_nobody, 2);
	tear_down(&fixture);
}

static void test_thread_that_is_not_there(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, 3);
	assert_int_equal(fixture.view->count, 0);
	tear_down(&fixture);
}

/* Readers of samples add regions to a recording, whose own then move. */
static void test_regions_may_be_added(void **state)
{
	const struct region added = {.kind = KYMO_REGION_NATIVE, .name = "added"};
	struct fixture fixture;

	(void)state;
	set_up(&fixture, KYMO_NO_THREAD);
	for (int i = 0; i < 10000; i++)
		assert_true(recording_add_region(fixture.recordings[0], &added) > 2);
	memset(fixture.recordings[0]->regions, 0, 3 * sizeof(added));
	flat_view_sort(fixture.view, ORDER_TOTAL);
	assert_string_equal(name_at(&fixture, 0), "main");
	assert_string_equal(name_at(&fixture, 1), "f");
	assert_int_equal(fixture.regions->region_counts[0], 3);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged_by_region),
		cmocka_unit_test(test_deviation_of_few),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_thread_that_is_not_there),
		cmocka_unit_test(test_regions_may_be_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
