/* Regions of a recording as one of their own: threads, events and metrics. */
#include "writer/extract.h"

#include "extract_fixture.h"
#include "model/trace/trace_cursor.h"

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
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
