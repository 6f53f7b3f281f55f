/* Visits without length: counted in the tree, a pair of events in the trace. */
#include "runtime/hot.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "runtime/store/regionvisit.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static uint32_t outer, inner;

static void open_with(const char *profile, const char *trace, const char *more)
{
	const char *settings[] = {profile, trace, more, NULL};

	fixture_open(settings);
	outer = fixture_region("outer");
	inner = fixture_region("inner");
	CHECK(kymo_region_enter(kymo_thread(), outer));
}

static struct kymo_node *child_of(struct kymo_thread *thread, uint32_t region)
{
	return kymo_callpath_find(thread, region);
}

static void they_are_counted(void)
{
	struct kymo_thread *thread;
	struct kymo_node *before, *node;

	open_with("PROFILE=ON", "TRACE=OFF", NULL);
	thread = kymo_thread();
	before = thread->current;
	for (int i = 0; i < 1000; i++)
		kymo_region_visit(thread, inner);
	CHECK(thread->current == before && before->region == outer);
	node = child_of(thread, inner);
	CHECK(node->count == 1000 && node->enter == 0);
	CHECK(node->sum == 0 && node->min == 0 && node->max == 0);
	CHECK(node->sum_squares == 0.0);
	CHECK(thread->record->resynced == 0 && thread->record->lost_events == 0);
}

static void they_are_two_events(void)
{
	struct kymo_thread *thread;
	uint64_t *from;

	open_with("PROFILE=OFF", "TRACE=ON", NULL);
	thread = kymo_thread();
	kymo_region_visit(thread, inner);
	from = thread->event;
	kymo_region_visit(thread, inner);
	CHECK(thread->event == from + 2);
	CHECK(kymo_event_kind(from[0]) == KYMO_EVENT_ENTER && kymo_event_region(from[0]) == inner);
	CHECK(kymo_event_kind(from[1]) == KYMO_EVENT_LEAVE && kymo_event_region(from[1]) == inner);
	CHECK(kymo_event_ticks(from[0]) == kymo_event_ticks(from[1]));
}

/* Over the ends of many chunks. */
static void the_trace_is_whole(void)
{
	struct recording *recording;
	struct trace_cursor *cursor;
	struct trace_event event;
	int enters = 0, leaves = 0;

	open_with("PROFILE=ON", "TRACE=ON", NULL);
	for (int i = 0; i < 200001; i++)
		kymo_region_visit(kymo_thread(), inner);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(trace_cursor_new(recording, 0, &cursor) == KYMO_OK);
	while (trace_cursor_next(cursor, &event)) {
		enters += event.kind == TRACE_ENTER && event.region == inner;
		leaves += event.kind == TRACE_LEAVE && event.region == inner;
		CHECK(enters - leaves == 0 || enters - leaves == 1);
	}
	CHECK(enters == 200001 && leaves == 200001);
	trace_cursor_free(cursor);
	recording_free(recording);
}

static void metrics_are_measured(void)
{
	struct kymo_thread *thread;
	const struct kymo_node_metric *metric;
	struct kymo_node *node;

	open_with("PROFILE=ON", "TRACE=OFF", "TIMEMORY_COMPONENTS=wall_clock,peak_rss");
	thread = kymo_thread();
	for (int i = 0; i < 3; i++)
		kymo_region_visit(thread, inner);
	node = child_of(thread, inner);
	metric = (const struct kymo_node_metric *)(node + 1);
	CHECK(node->count == 3 && metric->count == 3);
}

static void folded_paths_stay_balanced(void)
{
	struct kymo_thread *thread;
	struct kymo_node *before;

	open_with("PROFILE=ON", "TRACE=OFF", "MAX_DEPTH=1");
	thread = kymo_thread();
	before = thread->current;
	for (int i = 0; i < 10; i++)
		kymo_region_visit(thread, inner);
	CHECK(thread->current == before && thread->record->folded == 10);
	kymo_region_leave(thread, outer);
	CHECK(thread->current == thread->root && thread->record->resynced == 0);
}

static void blocked_threads_pass_by(void)
{
	struct kymo_thread *thread;

	open_with("PROFILE=ON", "TRACE=OFF", NULL);
	thread = kymo_thread();
	thread->blocked++;
	kymo_region_visit(thread, inner);
	kymo_region_visit(thread, 0);
	thread->blocked--;
	kymo_region_visit(thread, 0);
	CHECK(child_of(thread, inner)->count == 0);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(they_are_counted)
CASE(they_are_two_events)
CASE(the_trace_is_whole)
CASE(metrics_are_measured)
CASE(folded_paths_stay_balanced)
CASE(blocked_threads_pass_by)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_they_are_counted),
		cmocka_unit_test(test_they_are_two_events),
		cmocka_unit_test(test_the_trace_is_whole),
		cmocka_unit_test(test_metrics_are_measured),
		cmocka_unit_test(test_folded_paths_stay_balanced),
		cmocka_unit_test(test_blocked_threads_pass_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
