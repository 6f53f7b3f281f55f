/* Call paths with their own time: what is not shown gives its time to the nearest caller. */
#include "export/tree_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *made;
	struct recording *recording;
	struct calltree *tree;
};

/* a (100) calls b (60), which calls c (20). */
static void set_up(struct fixture *fixture)
{
	static const char *const names[] = {"a", "b", "c"};
	uint32_t thread;

	fixture->made = synthetic_new(KYMO_HEADER_PROFILE);
	for (int i = 0; i < 3; i++)
		synthetic_region(fixture->made, KYMO_REGION_USER, names[i]);
	thread = synthetic_thread(fixture->made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(fixture->made, thread, 1, 0);
	synthetic_enter(fixture->made, thread, 2, 10);
	synthetic_enter(fixture->made, thread, 3, 20);
	synthetic_leave(fixture->made, thread, 3, 40);
	synthetic_leave(fixture->made, thread, 2, 70);
	synthetic_leave(fixture->made, thread, 1, 100);
	synthetic_close(fixture->made, 100);
	fixture->recording = synthetic_open(fixture->made);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->made);
}

/* "a 40 a;b 40 ": shown paths by node. */
static void assert_paths(const struct fixture *fixture, const bool *regions, const char *expected)
{
	struct tree_paths paths;
	uint32_t path[TREE_PATH_MAX];
	char text[256] = "";

	tree_paths_init(&paths, fixture->tree, regions);
	for (uint32_t i = 0; i < fixture->tree->node_count; i++) {
		uint32_t depth;

		if (paths.shown[i] != i) {
			assert_true(paths.self_ns[i] == 0);
			continue;
		}
		depth = tree_path(&paths, i, path);
		for (uint32_t k = 0; k < depth; k++)
			sprintf(text + strlen(text), "%s%s", k ? ";" : "",
				fixture->recording->regions[path[k]].name);
		sprintf(text + strlen(text), " %g ", paths.self_ns[i]);
	}
	assert_string_equal(text, expected);
	tree_paths_release(&paths);
}

static void test_time_goes_to_the_nearest_caller_shown(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	assert_paths(&fixture, NULL, "a 40 a;b 40 a;b;c 20 ");
	assert_paths(&fixture, (const bool[]){false, true, false, true}, "a 80 a;c 20 ");
	assert_paths(&fixture, (const bool[]){false, false, true, false}, "b 60 ");
	assert_paths(&fixture, (const bool[]){false, false, false, false}, "");
	tear_down(&fixture);
}

static void test_rounding_loses_no_time(void **state)
{
	double carry = 0;
	uint64_t total = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		total += tree_weight(333.4, 1000.0, &carry);
	assert_int_equal(total, 333);
	carry = 0;
	assert_int_equal(tree_weight(2600, 1000.0, &carry), 3);
	assert_int_equal(tree_weight(100, 1000.0, &carry), 0);
	assert_int_equal(tree_weight(900, 1000.0, &carry), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_goes_to_the_nearest_caller_shown),
		cmocka_unit_test(test_rounding_loses_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
