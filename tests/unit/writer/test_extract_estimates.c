/* Estimates of an extract. */
#include "writer/extract.h"

#include "extract_fixture.h"
#include "model/tree/flat.h"

/* Two calls of a counted function are paths with estimates: all calls of cell are in the extract.
 */
static void test_estimates(void **state)
{
	const struct calltree_estimated estimated[] = {
		{.caller = CALLTREE_NONE,
		 .region = LEAF,
		 .estimate = {.is_known = true,
			      .has_unsure_calls = true,
			      .total_below_ns = 12,
			      .total_above_ns = 20,
			      .total_off_above_ns = 5,
			      .self_below_ns = 7,
			      .self_above_ns = 9}},
		{.caller = CELL,
		 .region = LEAF,
		 .estimate = {.has_unsure_calls = true, .calls_below = 1, .calls_above = 3}},
		{.caller = MAIN,
		 .region = OTHER,
		 .estimate = {.has_unsure_calls = true, .calls_below = 1}},
	};
	const struct flat_row *leaf = NULL;
	struct fixture fixture;
	struct flat *flat;

	(void)state;
	set_up(&fixture, KYMO_HEADER_PROFILE);
	two_visits(&fixture);
	synthetic_close(fixture.synthetic, 1000);
	fixture.recording = synthetic_open(fixture.synthetic);
	assert_int_equal(calltree_new(fixture.recording, &fixture.tree, NULL), KYMO_OK);
	fixture.tree->estimated = malloc(sizeof(estimated));
	assert_non_null(fixture.tree->estimated);
	memcpy(fixture.tree->estimated, estimated, sizeof(estimated));
	fixture.tree->estimated_count = sizeof(estimated) / sizeof(*estimated);
	write_cell(&fixture);
	assert_int_equal(fixture.below->estimated_count, 2);
	assert_true(fixture.below->has_estimated_counts);
	assert_int_equal(flat_new(fixture.below, NULL, &flat), KYMO_OK);
	for (uint32_t i = 0; i < flat->row_count; i++)
		if (strcmp(fixture.extract->regions[flat->rows[i].region].name, "leaf") == 0)
			leaf = &flat->rows[i];
	assert_non_null(leaf);
	assert_true(leaf->estimate.is_known);
	assert_float_equal(leaf->estimate.total_above_ns, 20, 1e-6);
	assert_float_equal(leaf->estimate.total_off_above_ns, 5, 1e-6);
	assert_float_equal(leaf->estimate.total_below_ns, 12, 1e-6);
	assert_float_equal(leaf->estimate.self_above_ns, 9, 1e-6);
	assert_float_equal(leaf->estimate.self_below_ns, 7, 1e-6);
	flat_free(flat);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_estimates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
