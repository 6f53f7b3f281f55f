/* Call paths from recorded trees, whole and damaged. */
#include "model/tree/calltree.h"

#include "calltree_fixture.h"

static void test_counts_and_times(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *f, *g;

		enter(&fixture, fixture.f, 100);
		enter(&fixture, fixture.g, 200);
		leave(&fixture, fixture.g, 250);
		enter(&fixture, fixture.g, 300);
		leave(&fixture, fixture.g, 450);
		enter(&fixture, fixture.h, 500);
		leave(&fixture, fixture.h, 510);
		leave(&fixture, fixture.f, 600);
		synthetic_close(fixture.synthetic, 1000);
		fixture_load(&fixture);
		assert_int_equal(fixture.tree->is_replayed, way == 1);
		assert_int_equal(fixture.tree->node_count, 4);
		assert_int_equal(fixture.tree->call_count, 4);
		assert_int_equal(fixture.tree->c_call_count, 1);
		assert_int_equal(fixture.tree->dropped_count, 0);
		f = at(&fixture, 0, fixture.f, 0);
		assert_true(f->count == 1 && f->sum_ns == 500 && f->self_ns == 290);
		assert_true(f->depth == 1 && !f->is_open);
		g = at(&fixture, 0, fixture.f, fixture.g);
		assert_true(g->count == 2 && g->sum_ns == 200 && g->self_ns == 200);
		assert_true(g->min_ns == 50 && g->max_ns == 150 && g->closed_count == 2);
		assert_true(g->sum_squares_ns == 50 * 50 + 150 * 150);
		assert_true(at(&fixture, 0, 0, 0)->sum_ns == 1000);
		fixture_free(&fixture);
	}
}

static void test_folded_nodes_hold_own_time(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *f, *g;
	struct kymo_node *node;

	(void)state;
	enter(&fixture, fixture.f, 0);
	node = synthetic_node_at(fixture.synthetic,
				 synthetic_node(fixture.synthetic, 0,
						synthetic_current(fixture.synthetic, 0),
						fixture.g));
	node->flags = KYMO_NODE_FOLDED;
	node->count = 1000;
	node->sum = 700;
	leave(&fixture, fixture.f, 1000);
	fixture_load(&fixture);
	g = at(&fixture, 0, fixture.f, fixture.g);
	assert_true(g->is_folded && g->count == 1000);
	assert_true(g->sum_ns == 700 && g->self_ns == 700 && g->closed_count == 0);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->self_ns == 300);
	fixture_free(&fixture);
}

static void test_closed_inherited_node(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE | KYMO_HEADER_FORKED);
	const struct calltree_node *f;
	struct kymo_node *node;

	(void)state;
	enter(&fixture, fixture.f, 0);
	node = synthetic_node_at(fixture.synthetic, synthetic_current(fixture.synthetic, 0));
	leave(&fixture, fixture.f, 30);
	node->flags = KYMO_NODE_INHERITED;
	node->count = 0;
	fixture_load(&fixture);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->count == 0 && f->closed_count == 1 && f->max_ns == 30 && f->sum_ns == 30);
	fixture_free(&fixture);
}

static void test_metrics(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_CPU_CLOCK, KYMO_METRIC_PEAK_RSS};
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	struct fixture fixture = {.synthetic = synthetic};
	const struct calltree_metric *row;
	struct kymo_node_metric *block;
	uint32_t reference;

	(void)state;
	synthetic_metrics(synthetic, metrics, 2);
	fixture.f = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	fixture.thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	enter(&fixture, fixture.f, 1);
	reference = synthetic_current(synthetic, 0);
	block = synthetic_metric_at(synthetic, reference, 1);
	*block = (struct kymo_node_metric){
		.count = 2, .sum = 12, .min = 4, .max = 8, .sum_squares = 80};
	block = synthetic_metric_at(synthetic, reference, 0);
	*block = (struct kymo_node_metric){.min = INFINITY, .max = -INFINITY, .sum_squares = NAN};
	fixture_load(&fixture);
	assert_int_equal(fixture.tree->metric_count, 2);
	row = &fixture.tree->metrics[(at(&fixture, 0, fixture.f, 0) - fixture.tree->nodes) * 2];
	assert_true(row[0].count == 0 && row[0].min == 0 && row[0].max == 0);
	assert_true(row[0].sum_squares == 0);
	assert_true(row[1].count == 2 && row[1].sum == 12 && row[1].min == 4 && row[1].max == 8);
	fixture_free(&fixture);
}

/* One changed byte makes a value of any size: what no sum comes to is none, and is counted. */
static void test_values_that_cannot_be(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_PEAK_RSS};
	static const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e61};
	struct calltree_metric *row;

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
		struct fixture fixture = {.synthetic = synthetic};
		uint32_t reference;

		synthetic_metrics(synthetic, metrics, 1);
		fixture.f = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
		fixture.thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
		enter(&fixture, fixture.f, 1);
		reference = synthetic_current(synthetic, 0);
		*synthetic_metric_at(synthetic, reference, 0) = (struct kymo_node_metric){
			.count = 2, .sum = values[i], .min = 4, .max = 8, .sum_squares = 80};
		fixture_load(&fixture);
		row = &fixture.tree->metrics[at(&fixture, 0, fixture.f, 0) - fixture.tree->nodes];
		assert_true(row->sum == 0 && row->min == 4 && row->sum_squares == 80);
		assert_int_equal(fixture.tree->impossible_count, 1);
		fixture_free(&fixture);
	}
}

/* Nodes that hang from nothing, from themselves, from what comes after them or from the
 * middle of a node are left out with all below them. */
static void test_damaged_references(void **state)
{
	(void)state;
	for (int kind = 0; kind < 6; kind++) {
		struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
		uint32_t root = synthetic_current(fixture.synthetic, 0);
		uint32_t bad, below, last;

		bad = synthetic_node(fixture.synthetic, 0, root, fixture.f);
		below = synthetic_node(fixture.synthetic, 0, bad, fixture.g);
		last = synthetic_node(fixture.synthetic, 0, root, fixture.h);
		synthetic_node_at(fixture.synthetic, bad)->count = 1;
		synthetic_node_at(fixture.synthetic, below)->count = 1;
		synthetic_node_at(fixture.synthetic, last)->count = 1;
		synthetic_node_at(fixture.synthetic, bad)->parent =
			(uint32_t[]){bad, last, below, 1, UINT32_MAX, root}[kind];
		if (kind == 5)
			synthetic_node_at(fixture.synthetic, bad)->region = 99;
		fixture_load(&fixture);
		assert_int_equal(fixture.tree->node_count, 2);
		assert_int_equal(fixture.tree->dropped_count, 2);
		assert_null(at(&fixture, 0, fixture.f, 0));
		assert_non_null(at(&fixture, 0, fixture.h, 0));
		fixture_free(&fixture);
	}
}

static void test_node_never_entered_is_no_path(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint32_t root = synthetic_current(fixture.synthetic, 0);
	uint32_t above;

	(void)state;
	/* The process was killed between making the node and entering it. */
	above = synthetic_node(fixture.synthetic, 0, root, fixture.f);
	synthetic_node(fixture.synthetic, 0, above, fixture.g);
	fixture_load(&fixture);
	assert_int_equal(fixture.tree->node_count, 1);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

static void test_second_root_is_dropped(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	synthetic_node(fixture.synthetic, 0, 0, 0);
	synthetic_node(fixture.synthetic, 77, 0, 0); /* of a thread that does not exist */
	fixture_load(&fixture);
	assert_int_equal(fixture.tree->node_count, 1);
	assert_int_equal(fixture.tree->dropped_count, 2);
	fixture_free(&fixture);
}

/* Killed between making a thread's record and noting its root there. */
static void test_root_not_noted_yet(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	synthetic_thread_at(fixture.synthetic, 0)->root_node = 0;
	fixture_load(&fixture);
	assert_int_equal(fixture.tree->thread_root[0], 0);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_times),
		cmocka_unit_test(test_folded_nodes_hold_own_time),
		cmocka_unit_test(test_closed_inherited_node),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_damaged_references),
		cmocka_unit_test(test_node_never_entered_is_no_path),
		cmocka_unit_test(test_values_that_cannot_be),
		cmocka_unit_test(test_second_root_is_dropped),
		cmocka_unit_test(test_root_not_noted_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
