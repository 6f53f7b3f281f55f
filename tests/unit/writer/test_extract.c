/* Regions of a recording with what is below them, as a recording of their own. */
#include "writer/extract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "synthetic.h"

enum { MAIN = 1, CELL, LEAF, OTHER }; /* regions in the order they are made */

struct fixture {
	char path[64];
	struct synthetic *synthetic;
	struct recording *recording, *extract;
	struct calltree *tree, *below;
};

static void set_up(struct fixture *fixture, uint32_t flags)
{
	static const char *const names[] = {"main", "cell", "leaf", "other"};

	*fixture = (struct fixture){.path = "/tmp/kymo-extract-XXXXXX"};
	assert_true(mkdtemp(fixture->path) != NULL);
	strcat(fixture->path, "/x.kymo");
	fixture->synthetic = synthetic_new(flags);
	for (size_t i = 0; i < 4; i++)
		synthetic_region(fixture->synthetic, KYMO_REGION_PYTHON, names[i]);
	synthetic_thread(fixture->synthetic, KYMO_NO_THREAD, "MainThread", 0);
}

static void write_cell(struct fixture *fixture)
{
	bool marks[8] = {[CELL] = true};

	assert_true(extract_has_any(fixture->tree, marks));
	assert_int_equal(extract_write(fixture->tree, marks, fixture->path, "In [1]", NULL),
			 KYMO_OK);
	assert_int_equal(recording_open(fixture->path, &fixture->extract, NULL), KYMO_OK);
	assert_int_equal(fixture->extract->problem_count, 0);
	assert_int_equal(calltree_new(fixture->extract, &fixture->below, NULL), KYMO_OK);
}

static void extract_cell(struct fixture *fixture, uint64_t end)
{
	synthetic_close(fixture->synthetic, end);
	fixture->recording = synthetic_open(fixture->synthetic);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
	write_cell(fixture);
}

static void tear_down(struct fixture *fixture)
{
	calltree_free(fixture->below);
	recording_free(fixture->extract);
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
	assert_int_equal(unlink(fixture->path), 0);
	*strrchr(fixture->path, '/') = '\0';
	assert_int_equal(rmdir(fixture->path), 0);
}

/* The node of that name below parent; there has to be one. */
static uint32_t child(const struct calltree *tree, uint32_t parent, const char *name)
{
	uint32_t index = tree->nodes[parent].first_child;

	for (; index != CALLTREE_NONE; index = tree->nodes[index].next_sibling) {
		if (strcmp(tree->recording->regions[tree->nodes[index].region].name, name) == 0)
			return index;
	}
	fail_msg("no '%s'", name);
	return CALLTREE_NONE;
}

static void visit(struct fixture *fixture, uint32_t thread, uint32_t region, uint64_t from,
		  uint64_t to)
{
	synthetic_enter(fixture->synthetic, thread, region, from);
	synthetic_leave(fixture->synthetic, thread, region, to);
}

/* The cell runs at the top and below main; its leaves become one path. */
static void two_visits(struct fixture *fixture)
{
	struct synthetic *s = fixture->synthetic;

	synthetic_enter(s, 0, CELL, 100);
	visit(fixture, 0, LEAF, 110, 140);
	synthetic_leave(s, 0, CELL, 150);
	visit(fixture, 0, OTHER, 150, 160);
	synthetic_enter(s, 0, MAIN, 200);
	synthetic_enter(s, 0, CELL, 210);
	visit(fixture, 0, LEAF, 220, 230);
	synthetic_leave(s, 0, CELL, 250);
	synthetic_leave(s, 0, MAIN, 300);
}

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

/* Two calls of a counted function are paths with estimates: all calls of cell are in the extract.
 */
static void test_estimates(void **state)
{
	const struct calltree_estimated estimated[] = {
		{.caller = CALLTREE_NONE,
		 .region = LEAF,
		 .estimate = {.is_known = true,
			      .total_below_ns = 12,
			      .total_above_ns = 20,
			      .total_off_above_ns = 5,
			      .self_below_ns = 7,
			      .self_above_ns = 9}},
		{.caller = CELL, .region = LEAF, .estimate = {.calls_below = 1, .calls_above = 3}},
		{.caller = MAIN, .region = OTHER, .estimate = {.calls_below = 1}},
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

/* A thread that the cell started belongs to it, with what that started in turn. */
static void test_threads(void **state)
{
	struct fixture fixture;
	struct synthetic *s;
	uint32_t own, next, foreign;

	(void)state;
	set_up(&fixture, KYMO_HEADER_PROFILE);
	s = fixture.synthetic;
	foreign = synthetic_thread(s, 0, "foreign", 10);
	visit(&fixture, foreign, OTHER, 20, 30);
	synthetic_enter(s, 0, CELL, 100);
	own = synthetic_thread(s, 0, "own", 110);
	synthetic_enter(s, own, LEAF, 120);
	next = synthetic_thread(s, own, "next", 130);
	visit(&fixture, next, LEAF, 140, 150);
	synthetic_leave(s, own, LEAF, 160);
	synthetic_thread_end(s, own, 170);
	synthetic_thread_end(s, next, 180);
	synthetic_leave(s, 0, CELL, 200);
	extract_cell(&fixture, 1000);
	assert_int_equal(fixture.extract->thread_count, 3);
	assert_int_equal(fixture.below->call_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t root = fixture.below->thread_root[i];

		assert_string_not_equal(fixture.extract->threads[i].name, "foreign");
		child(fixture.below, root, i == 0 ? "cell" : "leaf");
		assert_int_equal(fixture.below->nodes[root].sum_ns, i == 0   ? 100
								    : i == 1 ? 60
									     : 50);
	}
	tear_down(&fixture);
}

/* A trace has the events of the cell alone, from its own beginning on. */
static void test_events(void **state)
{
	static const struct {
		enum trace_event_kind kind;
		const char *name;
		int64_t ns;
	} expected[] = {
		{TRACE_ENTER, "cell", 0},   {TRACE_ENTER, "leaf", 10},	{TRACE_LEAVE, "leaf", 40},
		{TRACE_LEAVE, "cell", 50},  {TRACE_ENTER, "cell", 110}, {TRACE_ENTER, "leaf", 120},
		{TRACE_LEAVE, "leaf", 130}, {TRACE_LEAVE, "cell", 150},
	};
	struct trace_cursor *cursor;
	struct trace_event event;
	struct fixture fixture;

	(void)state;
	set_up(&fixture, KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	two_visits(&fixture);
	extract_cell(&fixture, 1000);
	assert_int_equal(trace_cursor_new(fixture.extract, 0, &cursor), KYMO_OK);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.kind, expected[i].kind);
		assert_string_equal(fixture.extract->regions[event.region].name, expected[i].name);
		assert_int_equal(recording_ns(fixture.extract, event.ticks), expected[i].ns);
	}
	assert_false(trace_cursor_next(cursor, &event));
	trace_cursor_free(cursor);
	assert_int_equal(fixture.extract->header.start_realtime_ns - SYNTHETIC_START_REALTIME, 100);
	tear_down(&fixture);
}

static void test_metrics(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_CPU_CLOCK};
	struct fixture fixture;
	const struct calltree_metric *metric;
	uint32_t node;

	(void)state;
	fixture = (struct fixture){.path = "/tmp/kymo-extract-XXXXXX"};
	assert_true(mkdtemp(fixture.path) != NULL);
	strcat(fixture.path, "/x.kymo");
	fixture.synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	synthetic_metrics(fixture.synthetic, metrics, 1);
	synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "main");
	synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "cell");
	synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_enter(fixture.synthetic, 0, CELL, 10);
	node = synthetic_current(fixture.synthetic, 0);
	*synthetic_metric_at(fixture.synthetic, node, 0) =
		(struct kymo_node_metric){.count = 1, .sum = 7, .min = 7, .max = 7};
	synthetic_leave(fixture.synthetic, 0, CELL, 30);
	extract_cell(&fixture, 1000);
	assert_int_equal(fixture.below->metric_count, 1);
	assert_int_equal(fixture.below->metric_ids[0], KYMO_METRIC_CPU_CLOCK);
	metric = &fixture.below->metrics[child(fixture.below, 0, "cell")];
	assert_true(metric->count == 1 && metric->sum == 7 && metric->max == 7);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_events),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
