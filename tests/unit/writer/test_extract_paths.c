/* Call paths of an extract. */
#include "writer/extract.h"

#include "extract_fixture.h"
#include "model/recording/recording_open.h"

static void test_paths(void **state)
{
	const struct calltree_node *cell, *leaf;
	struct fixture fixture;

	(void)state;
	set_up(&fixture, KYMO_HEADER_PROFILE);
	two_visits(&fixture);
	extract_cell(&fixture, 1000);
	assert_int_equal(fixture.below->node_count, 3);
	cell = &fixture.below->nodes[child(fixture.below, 0, "cell")];
	leaf = &fixture.below->nodes[child(fixture.below, child(fixture.below, 0, "cell"), "leaf")];
	assert_int_equal(fixture.below->nodes[0].sum_ns, 90);
	assert_int_equal(cell->sum_ns, 90);
	assert_int_equal(cell->self_ns, 50);
	assert_int_equal(cell->count, 2);
	assert_int_equal(leaf->sum_ns, 40);
	assert_int_equal(leaf->min_ns, 10);
	assert_int_equal(leaf->max_ns, 30);
	assert_int_equal(leaf->closed_count, 2);
	assert_string_equal(recording_program(fixture.extract), "In [1]");
	assert_int_equal(fixture.extract->end_ticks - fixture.extract->header.start_ticks, 90);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
