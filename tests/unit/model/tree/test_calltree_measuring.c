/* What measuring took is taken out of the times of call paths, by the calibration of the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tree/calltree.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define NS 1000 /* picoseconds */

struct fixture {
	struct synthetic *synthetic;
	uint32_t outer, inner, builtin, thread;
	struct recording *recording;
	struct calltree *tree;
};

static struct fixture fixture_new(uint32_t flags)
{
	struct fixture fixture = {.synthetic = synthetic_new(flags)};

	fixture.outer = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "outer");
	fixture.inner = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "inner");
	fixture.builtin = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON_C, "len");
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	synthetic_header(fixture.synthetic)->cost_enter_exit_ps = 30 * NS;
	synthetic_header(fixture.synthetic)->cost_enter_exit_inside_ps = 10 * NS;
	return fixture;
}

static void fixture_load(struct fixture *fixture, uint64_t end, bool is_raw)
{
	synthetic_close(fixture->synthetic, end);
	fixture->recording = synthetic_open(fixture->synthetic);
	fixture->recording->is_raw = is_raw;
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static void fixture_free(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
}

static const struct calltree_node *node_of(const struct fixture *fixture, uint32_t region)
{
	for (uint32_t i = 0; i < fixture->tree->node_count; i++)
		if (fixture->tree->nodes[i].region == region)
			return &fixture->tree->nodes[i];
	fail_msg("no node of region %u", region);
	return NULL;
}

static void visit(struct fixture *fixture, uint32_t region, uint64_t start, uint64_t end)
{
	synthetic_enter(fixture->synthetic, fixture->thread, region, start);
	synthetic_leave(fixture->synthetic, fixture->thread, region, end);
}

static void near(double value, double expected)
{
	if (value < expected - 1e-6 || value > expected + 1e-6)
		fail_msg("%f, not %f", value, expected);
}

/* outer: 1000 ns, in which inner was called twice, 110 and 210 ns. */
static void two_calls(struct fixture *fixture)
{
	synthetic_enter(fixture->synthetic, fixture->thread, fixture->outer, 1000);
	visit(fixture, fixture->inner, 1100, 1210);
	visit(fixture, fixture->inner, 1300, 1510);
	synthetic_leave(fixture->synthetic, fixture->thread, fixture->outer, 2000);
}

static void test_both_parts(void **state)
{
	static const uint32_t ways[] = {KYMO_HEADER_PROFILE, KYMO_HEADER_TRACE};

	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(ways[way]);
		const struct calltree_node *outer, *inner, *root;

		two_calls(&fixture);
		fixture_load(&fixture, 5000, false);
		inner = node_of(&fixture, fixture.inner);
		near(inner->self_ns, 320 - 2 * 10);
		near(inner->sum_ns, 300);
		near(inner->min_ns, 100);
		near(inner->max_ns, 200);
		near(inner->sum_squares_ns, 100 * 100 + 200 * 200);
		outer = node_of(&fixture, fixture.outer);
		near(outer->self_ns, 680 - 10 - 2 * 20);
		near(outer->sum_ns, 630 + 300);
		near(outer->min_ns, outer->sum_ns);
		near(outer->max_ns, outer->sum_ns);
		root = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
		near(root->sum_ns, 5000 - 3 * 30);
		near(root->self_ns, 4000 - 20);
		near(fixture.tree->measuring_ns, 3 * 30);
		fixture_free(&fixture);
	}
}

static void test_raw(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	two_calls(&fixture);
	fixture_load(&fixture, 5000, true);
	near(node_of(&fixture, fixture.inner)->sum_ns, 320);
	near(node_of(&fixture, fixture.outer)->sum_ns, 1000);
	near(fixture.tree->measuring_ns, 0);
	fixture_free(&fixture);
}

/* Recordings of earlier versions do not say where the cost lies. */
static void test_not_known(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	synthetic_header(fixture.synthetic)->cost_enter_exit_inside_ps = 0;
	two_calls(&fixture);
	fixture_load(&fixture, 5000, false);
	near(node_of(&fixture, fixture.outer)->sum_ns, 1000);
	near(fixture.tree->measuring_ns, 0);
	fixture_free(&fixture);
}

/* More is not believed than the times hold: what does not fit is the caller's, and no visit took
 * less than a nanosecond. */
static void test_never_below_nothing(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *inner, *outer;

	(void)state;
	synthetic_enter(fixture.synthetic, fixture.thread, fixture.outer, 1000);
	visit(&fixture, fixture.inner, 1100, 1104);
	visit(&fixture, fixture.inner, 1200, 1206);
	synthetic_leave(fixture.synthetic, fixture.thread, fixture.outer, 1300);
	fixture_load(&fixture, 5000, false);
	inner = node_of(&fixture, fixture.inner);
	near(inner->self_ns, 2);
	assert_true(inner->min_ns >= 0 && inner->min_ns <= 1 && inner->max_ns >= 1);
	outer = node_of(&fixture, fixture.outer);
	near(outer->self_ns, 290 - 10 - 2 * 20 - (2 * 10 - 8));
	near(fixture.tree->measuring_ns, 3 * 30);
	fixture_free(&fixture);
}

static void test_c_functions(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	synthetic_header(fixture.synthetic)->cost_c_call_ps = 50 * NS;
	synthetic_header(fixture.synthetic)->cost_c_call_inside_ps = 20 * NS;
	synthetic_enter(fixture.synthetic, fixture.thread, fixture.outer, 1000);
	visit(&fixture, fixture.builtin, 1100, 1200);
	synthetic_leave(fixture.synthetic, fixture.thread, fixture.outer, 1500);
	fixture_load(&fixture, 5000, false);
	near(node_of(&fixture, fixture.builtin)->self_ns, 100 - 20);
	near(node_of(&fixture, fixture.outer)->self_ns, 400 - 10 - 30);
	fixture_free(&fixture);
}

/* They go on, which costs something else than a call; where it is not known, as much. */
static void test_generators(void **state)
{
	static const uint64_t costs[] = {12, 0}, inside[] = {4, 10}, all[] = {12, 30};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

		synthetic_region_at(fixture.synthetic, fixture.inner)->flags =
			KYMO_REGION_GENERATOR;
		synthetic_header(fixture.synthetic)->cost_resume_ps = costs[i] * NS;
		synthetic_header(fixture.synthetic)->cost_resume_inside_ps = costs[i] / 3 * NS;
		two_calls(&fixture);
		fixture_load(&fixture, 5000, false);
		assert_int_equal(fixture.tree->resume_count, 2);
		near(node_of(&fixture, fixture.inner)->self_ns, 320 - 2 * (double)inside[i]);
		near(fixture.tree->measuring_ns, 30 + 2 * (double)all[i]);
		fixture_free(&fixture);
	}
}

/* What cannot be is damage. */
static void test_impossible_costs(void **state)
{
	static const uint64_t costs[][2] = {{10 * NS, 30 * NS}, {UINT64_MAX, 1}, {0, 5}};

	(void)state;
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

		synthetic_header(fixture.synthetic)->cost_enter_exit_ps = costs[i][0];
		synthetic_header(fixture.synthetic)->cost_enter_exit_inside_ps = costs[i][1];
		two_calls(&fixture);
		fixture_load(&fixture, 5000, false);
		near(node_of(&fixture, fixture.outer)->sum_ns, 1000);
		fixture_free(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_parts),	 cmocka_unit_test(test_raw),
		cmocka_unit_test(test_not_known),	 cmocka_unit_test(test_never_below_nothing),
		cmocka_unit_test(test_c_functions),	 cmocka_unit_test(test_generators),
		cmocka_unit_test(test_impossible_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
