/* The path that most of the time goes through. */
#include "model/findings/hot_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

enum { MAIN = 1, LEFT, RIGHT, DEEP, REGIONS };
static const char *const names[REGIONS] = {
	[MAIN] = "main", [LEFT] = "left", [RIGHT] = "right", [DEEP] = "deep"};

struct fixture {
	struct synthetic *made;
	struct recording *recording;
	const struct calltree *tree;
	struct loaded_run loaded;
	struct region_union *regions;
	struct hot_path *path;
};

static struct synthetic *make(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);

	for (int i = MAIN; i < REGIONS; i++)
		synthetic_region(made, KYMO_REGION_PYTHON, names[i]);
	return made;
}

static void set_up(struct fixture *fixture, struct synthetic *made, uint32_t thread, double above)
{
	struct calltree *tree;

	fixture->made = made;
	fixture->recording = synthetic_open(made);
	assert_int_equal(calltree_new(fixture->recording, &tree, NULL), KYMO_OK);
	fixture->tree = tree;
	fixture->loaded = (struct loaded_run){.trees = &fixture->tree, .tree_count = 1};
	assert_int_equal(region_union_new(&fixture->tree, 1, &fixture->regions), KYMO_OK);
	assert_int_equal(
		hot_path_new(&fixture->loaded, fixture->regions, thread, above, &fixture->path),
		KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	hot_path_free(fixture->path);
	region_union_free(fixture->regions);
	calltree_free((struct calltree *)fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->made);
}

static const char *name_at(const struct fixture *fixture, size_t step)
{
	return fixture->regions->regions[fixture->path->steps[step].region]->name;
}

static void visit(struct synthetic *made, uint32_t thread, uint32_t region, uint64_t from,
		  uint64_t to)
{
	synthetic_enter(made, thread, region, from);
	synthetic_leave(made, thread, region, to);
}

/* main: left 70 (deep 40), right 30. */
static struct synthetic *make_forked(void)
{
	struct synthetic *made = make();

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, MAIN, 0);
	synthetic_enter(made, 0, LEFT, 0);
	visit(made, 0, DEEP, 10, 50);
	synthetic_leave(made, 0, LEFT, 70);
	visit(made, 0, RIGHT, 70, 100);
	synthetic_leave(made, 0, MAIN, 100);
	synthetic_close(made, 100);
	return made;
}

static void test_goes_down_the_largest(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, make_forked(), KYMO_NO_THREAD, 0.5);
	assert_int_equal(fixture.path->count, 3);
	assert_string_equal(name_at(&fixture, 0), "main");
	assert_string_equal(name_at(&fixture, 1), "left");
	assert_string_equal(name_at(&fixture, 2), "deep");
	assert_true(fixture.path->base.whole_ns == 100);
	assert_true(fixture.path->steps[1].total_ns == 70 && fixture.path->steps[1].self_ns == 30);
	assert_true(fixture.path->steps[2].caller_ns == 70);
	assert_int_equal(fixture.path->callee_count, 0);
	tear_down(&fixture);
}

static void test_ends_where_no_callee_has_enough(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, make_forked(), KYMO_NO_THREAD, 0.71);
	assert_int_equal(fixture.path->count, 1);
	assert_int_equal(fixture.path->callee_count, 2);
	assert_true(fixture.path->callee_ns == 70);
	assert_string_equal(fixture.regions->regions[fixture.path->callee]->name, "left");
	tear_down(&fixture);
}

/* Each thread alone goes left, both together go right. */
static void test_threads_are_one(void **state)
{
	for (uint32_t thread = 0; thread < 2; thread++) {
		struct synthetic *made = make();
		struct fixture fixture;

		(void)state;
		for (uint32_t i = 0; i < 2; i++) {
			synthetic_thread(made, i ? 0 : KYMO_NO_THREAD, NULL, 0);
			synthetic_enter(made, i, MAIN, 0);
			visit(made, i, i ? DEEP : LEFT, 0, 40);
			visit(made, i, RIGHT, 40, 75);
			synthetic_leave(made, i, MAIN, 75);
		}
		synthetic_close(made, 100);
		set_up(&fixture, made, thread ? KYMO_NO_THREAD : 0, 0.1);
		assert_string_equal(name_at(&fixture, 1), thread ? "right" : "left");
		tear_down(&fixture);
	}
}

static void test_recursion_is_one_step(void **state)
{
	struct synthetic *made = make();
	struct fixture fixture;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint64_t i = 0; i < 4; i++)
		synthetic_enter(made, 0, i ? LEFT : MAIN, i);
	for (uint64_t i = 4; i-- > 0;)
		synthetic_leave(made, 0, i ? LEFT : MAIN, 100 - i);
	synthetic_close(made, 100);
	set_up(&fixture, made, KYMO_NO_THREAD, 0.5);
	assert_int_equal(fixture.path->count, 2);
	assert_int_equal(fixture.path->steps[1].levels, 3);
	assert_int_equal(fixture.path->steps[1].calls.count, 3);
	assert_true(fixture.path->steps[1].total_ns == 98 && fixture.path->steps[1].self_ns == 98);
	tear_down(&fixture);
}

static void test_nothing_recorded(void **state)
{
	struct synthetic *made = make();
	struct fixture fixture;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_close(made, 100);
	set_up(&fixture, made, KYMO_NO_THREAD, 0.5);
	assert_int_equal(fixture.path->count, 0);
	assert_true(fixture.path->base.whole_ns == 100);
	assert_true(fixture.path->base.regions_ns == 0 && fixture.path->base.outside_ns == 100);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_down_the_largest),
		cmocka_unit_test(test_ends_where_no_callee_has_enough),
		cmocka_unit_test(test_threads_are_one),
		cmocka_unit_test(test_recursion_is_one_step),
		cmocka_unit_test(test_nothing_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
