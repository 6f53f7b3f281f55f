/* The call-path tree, from recorded trees and from traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tree/calltree.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *synthetic;
	uint32_t f, g, h, thread;
	struct recording *recording;
	struct calltree *tree;
};

static struct fixture fixture_new(uint32_t flags)
{
	struct fixture fixture = {.synthetic = synthetic_new(flags)};

	fixture.f = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "f");
	fixture.g = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "g");
	fixture.h = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON_C, "h");
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	return fixture;
}

static void fixture_load(struct fixture *fixture)
{
	struct problem problem = {""};

	fixture->recording = synthetic_open(fixture->synthetic);
	if (calltree_new(fixture->recording, &fixture->tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
}

static void fixture_free(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
}

/* The node at the end of a path of regions (closed by 0) from a thread's root; the last
 * child of that region wins, so that a path made twice would be found twice. */
static const struct calltree_node *at(const struct fixture *fixture, uint32_t thread,
				      uint32_t first, uint32_t second)
{
	const struct calltree *tree = fixture->tree;
	uint32_t index = tree->thread_root[thread];
	const uint32_t path[] = {first, second};

	assert_int_not_equal(index, CALLTREE_NONE);
	for (size_t i = 0; i < 2 && path[i]; i++) {
		uint32_t child = tree->nodes[index].first_child;

		while (child != CALLTREE_NONE && tree->nodes[child].region != path[i])
			child = tree->nodes[child].next_sibling;
		if (child == CALLTREE_NONE)
			return NULL;
		index = child;
	}
	return &tree->nodes[index];
}

static void enter(struct fixture *fixture, uint32_t region, uint64_t time)
{
	synthetic_enter(fixture->synthetic, fixture->thread, region, time);
}

static void leave(struct fixture *fixture, uint32_t region, uint64_t time)
{
	synthetic_leave(fixture->synthetic, fixture->thread, region, time);
}

/* Both ways of recording must come to the same. */
static const uint32_t both_ways[] = {KYMO_HEADER_PROFILE, KYMO_HEADER_TRACE};

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

static void test_children_in_order_of_first_enter(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *nodes;
		uint32_t child;

		for (int i = 0; i < 2; i++) {
			enter(&fixture, fixture.h, 1);
			leave(&fixture, fixture.h, 2);
			enter(&fixture, fixture.f, 3);
			leave(&fixture, fixture.f, 4);
			enter(&fixture, fixture.g, 5);
			leave(&fixture, fixture.g, 6);
		}
		fixture_load(&fixture);
		nodes = fixture.tree->nodes;
		child = nodes[fixture.tree->thread_root[0]].first_child;
		assert_int_equal(nodes[child].region, fixture.h);
		child = nodes[child].next_sibling;
		assert_int_equal(nodes[child].region, fixture.f);
		child = nodes[child].next_sibling;
		assert_int_equal(nodes[child].region, fixture.g);
		assert_int_equal(nodes[child].next_sibling, CALLTREE_NONE);
		fixture_free(&fixture);
	}
}

static void test_open_nodes_run_to_the_end(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *g;

		enter(&fixture, fixture.f, 100);
		enter(&fixture, fixture.g, 200);
		leave(&fixture, fixture.g, 220);
		enter(&fixture, fixture.g, 300);
		enter(&fixture, fixture.h, 400);
		fixture_load(&fixture);
		assert_true(at(&fixture, 0, 0, 0)->is_open);
		assert_true(at(&fixture, 0, fixture.f, 0)->is_open);
		assert_true(at(&fixture, 0, fixture.f, 0)->sum_ns == 300);
		assert_int_equal(at(&fixture, 0, fixture.f, 0)->closed_count, 0);
		g = at(&fixture, 0, fixture.f, fixture.g);
		assert_true(g->is_open && g->count == 2 && g->closed_count == 1);
		assert_true(g->sum_ns == 120 && g->max_ns == 20);
		fixture_free(&fixture);
	}
}

static void test_threads_hang_at_their_creator(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *f;
		uint32_t first, second, late, orphan;

		enter(&fixture, fixture.f, 100);
		first = synthetic_thread(fixture.synthetic, 0, "first", 150);
		second = synthetic_thread(fixture.synthetic, 0, "second", 160);
		leave(&fixture, fixture.f, 300);
		late = synthetic_thread(fixture.synthetic, 0, "late", 400);
		orphan = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "orphan", 500);
		synthetic_close(fixture.synthetic, 1000);
		fixture_load(&fixture);
		f = at(&fixture, 0, fixture.f, 0);
		assert_int_equal(f->creates_thread, first);
		assert_int_equal(fixture.tree->thread_next[first], second);
		assert_int_equal(fixture.tree->thread_next[second], CALLTREE_NONE);
		assert_int_equal(at(&fixture, 0, 0, 0)->creates_thread, late);
		assert_int_equal(fixture.tree->thread_next[late], CALLTREE_NONE);
		assert_int_equal(fixture.tree->thread_next[orphan], CALLTREE_NONE);
		fixture_free(&fixture);
	}
}

/* A trace alone has root nodes as well; they are not the tree. */
static void test_trace_with_bare_roots_is_replayed(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);

	(void)state;
	synthetic_header(fixture.synthetic)->flags = KYMO_HEADER_TRACE;
	enter(&fixture, fixture.f, 100);
	leave(&fixture, fixture.f, 200);
	fixture_load(&fixture);
	assert_true(fixture.tree->is_replayed);
	assert_true(at(&fixture, 0, fixture.f, 0)->sum_ns == 100);
	fixture_free(&fixture);
}

static void test_own_time_is_never_negative(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *f;
	uint32_t reference;

	(void)state;
	enter(&fixture, fixture.f, 100);
	reference = synthetic_current(fixture.synthetic, 0);
	enter(&fixture, fixture.g, 100);
	leave(&fixture, fixture.g, 900);
	leave(&fixture, fixture.f, 200);
	assert_int_equal(synthetic_node_at(fixture.synthetic, reference)->sum, 100);
	fixture_load(&fixture);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->sum_ns == 800 && f->self_ns == 0);
	assert_true(at(&fixture, 0, 0, 0)->sum_ns >= 800);
	fixture_free(&fixture);
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

static void test_inherited_path_of_a_fork(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE | KYMO_HEADER_FORKED);
	const struct calltree_node *f;
	struct kymo_node *node;

	(void)state;
	enter(&fixture, fixture.f, 0);
	node = synthetic_node_at(fixture.synthetic, synthetic_current(fixture.synthetic, 0));
	node->flags = KYMO_NODE_INHERITED;
	node->count = 0;
	enter(&fixture, fixture.g, 10);
	leave(&fixture, fixture.g, 20);
	enter(&fixture, fixture.h, 25);
	fixture_load(&fixture);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->count == 0 && f->is_open && f->closed_count == 0);
	assert_true(f->sum_ns == 25);
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

/* A program of random calls in several threads, at random times. */
static void play(struct synthetic *synthetic, unsigned short seed[3], uint32_t regions,
		 uint32_t threads)
{
	uint32_t stacks[4][64];
	uint32_t depths[4] = {0};
	uint64_t time = 0;

	for (int step = 0; step < 3000; step++) {
		uint32_t thread = (uint32_t)nrand48(seed) % threads;
		uint32_t *depth = &depths[thread];

		time += (uint64_t)nrand48(seed) % 50;
		if (*depth < 64 && nrand48(seed) % 2) {
			stacks[thread][*depth] = 1 + (uint32_t)nrand48(seed) % regions;
			synthetic_enter(synthetic, thread, stacks[thread][(*depth)++], time);
		} else if (*depth > 0) {
			synthetic_leave(synthetic, thread, stacks[thread][--*depth], time);
		}
	}
}

static void check_tree(const struct calltree *tree)
{
	double *self = calloc(tree->recording->thread_count, sizeof(*self));
	uint64_t calls = 0;

	assert_non_null(self);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		assert_true(node->self_ns >= 0 && node->self_ns <= node->sum_ns);
		self[node->thread] += node->self_ns;
		if (node->parent == CALLTREE_NONE)
			continue;
		assert_true(node->parent < i);
		assert_int_equal(node->depth, tree->nodes[node->parent].depth + 1);
		assert_int_equal(node->thread, tree->nodes[node->parent].thread);
		calls += node->count;
	}
	assert_int_equal(calls, tree->call_count);
	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		assert_true(self[i] == tree->nodes[tree->thread_root[i]].sum_ns);
	free(self);
}

static void check_same(const struct calltree *a, uint32_t node_a, const struct calltree *b,
		       uint32_t node_b)
{
	const struct calltree_node *left = &a->nodes[node_a], *right = &b->nodes[node_b];
	uint32_t child_a = left->first_child, child_b = right->first_child;

	assert_int_equal(left->region, right->region);
	assert_int_equal(left->count, right->count);
	assert_int_equal(left->closed_count, right->closed_count);
	assert_int_equal(left->is_open, right->is_open);
	assert_true(left->sum_ns == right->sum_ns && left->self_ns == right->self_ns);
	assert_true(left->min_ns == right->min_ns && left->max_ns == right->max_ns);
	for (; child_a != CALLTREE_NONE && child_b != CALLTREE_NONE;
	     child_a = a->nodes[child_a].next_sibling, child_b = b->nodes[child_b].next_sibling)
		check_same(a, child_a, b, child_b);
	assert_int_equal(child_a, child_b);
}

static struct recording *random_recording(int round, uint32_t flags, struct synthetic **synthetic)
{
	unsigned short seed[3] = {(unsigned short)round, 2, 3};
	uint32_t threads = 1 + (uint32_t)round % 4;

	*synthetic = synthetic_new(flags);
	for (int i = 0; i < 5; i++)
		synthetic_region(*synthetic, KYMO_REGION_PYTHON, "f");
	for (uint32_t i = 0; i < threads; i++)
		synthetic_thread(*synthetic, i ? 0 : KYMO_NO_THREAD, NULL, 0);
	play(*synthetic, seed, 5, threads);
	if (round % 3)
		synthetic_close(*synthetic, 200000);
	return synthetic_open(*synthetic);
}

static void test_random_programs(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct synthetic *profile, *trace;
		struct recording *profiled = random_recording(round, KYMO_HEADER_PROFILE, &profile);
		struct recording *traced = random_recording(round, KYMO_HEADER_TRACE, &trace);
		struct calltree *recorded, *replayed;

		assert_int_equal(calltree_new(profiled, &recorded, NULL), KYMO_OK);
		assert_int_equal(calltree_new(traced, &replayed, NULL), KYMO_OK);
		check_tree(recorded);
		check_tree(replayed);
		/* Without an end they stop at different times: of the last enter or event. */
		for (uint32_t i = 0; round % 3 && i < profiled->thread_count; i++)
			check_same(recorded, recorded->thread_root[i], replayed,
				   replayed->thread_root[i]);
		calltree_free(recorded);
		calltree_free(replayed);
		recording_free(profiled);
		recording_free(traced);
		synthetic_free(profile);
		synthetic_free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_times),
		cmocka_unit_test(test_children_in_order_of_first_enter),
		cmocka_unit_test(test_open_nodes_run_to_the_end),
		cmocka_unit_test(test_threads_hang_at_their_creator),
		cmocka_unit_test(test_trace_with_bare_roots_is_replayed),
		cmocka_unit_test(test_own_time_is_never_negative),
		cmocka_unit_test(test_folded_nodes_hold_own_time),
		cmocka_unit_test(test_inherited_path_of_a_fork),
		cmocka_unit_test(test_closed_inherited_node),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_damaged_references),
		cmocka_unit_test(test_node_never_entered_is_no_path),
		cmocka_unit_test(test_values_that_cannot_be),
		cmocka_unit_test(test_second_root_is_dropped),
		cmocka_unit_test(test_root_not_noted_yet),
		cmocka_unit_test(test_random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
