/* Events of a thread, streamed: balance whatever comes. */
#include "traced_fixture.h"

static void test_balanced_trace_comes_as_it_is(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_UNWIND, trace.b, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	assert_events(&trace, "+A@1 +B@2 !B@3 -A@4");
}

static void test_thread_without_events(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	assert_events(&trace, "");
}

static void test_open_regions_are_closed_at_the_end(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	synthetic_thread_at(trace.synthetic, trace.thread)->end_ticks = SYNTHETIC_START_TICKS + 9;
	assert_events(&trace, "+A@1 +B@2 -B@9* -A@9*");
}

static void test_leave_of_outer_closes_inner(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 3);
	add(&trace, KYMO_EVENT_UNWIND, trace.a, 4);
	assert_events(&trace, "+A@1 +B@2 +C@3 -C@4* -B@4* !A@4");
}

static void test_leave_matches_the_innermost(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	assert_events(&trace, "+A@1 +A@2 -A@3 -A@4");
}

static void test_leave_without_enter_is_dropped(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 5);
	assert_events_dropping(&trace, "+A@2 -A@4", 3);
}

static void test_unknown_regions_are_dropped(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, 4, 1);
	add(&trace, KYMO_EVENT_LEAVE, 4, 2);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_ENTER, 3, UINT64_MAX);
	assert_events_dropping(&trace, "", 3);
}

static void test_unwind_all(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 1, 0);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 3);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 4, 0);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 5);
	add(&trace, KYMO_EVENT_LEAVE, trace.c, 6);
	assert_events(&trace, "+A@2 +B@3 -B@4* -A@4* +C@5 -C@6");
}

static void test_unwind_inside_of_a_region(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 3);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 4, trace.a);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 5, trace.a);
	/* One that is not open keeps nothing, nor does one that does not exist. */
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 6, trace.b);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 7);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 8, UINT64_MAX);
	assert_events(&trace, "+A@1 +B@2 +C@3 -C@4* -B@4* -A@6* +C@7 -C@8*");
}

static void test_time_never_goes_back(void **state)
{
	struct trace trace = trace_new();
	const uint64_t earlier[] = {kymo_event_head(KYMO_EVENT_TIME, 0, 0),
				    SYNTHETIC_START_TICKS + 2,
				    kymo_event_head(KYMO_EVENT_LEAVE, trace.a, 1)};

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 5);
	synthetic_words(trace.synthetic, trace.thread, earlier, 3);
	assert_events(&trace, "+A@5 -A@5");
}

/* The whole of a program or of a thread is left when that ends; nothing is unfinished. */
static void test_a_program_ends_with_its_process(void **state)
{
	struct trace trace = trace_new();
	uint32_t program = synthetic_region(trace.synthetic, KYMO_REGION_PROGRAM, "P");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, program, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	synthetic_close(trace.synthetic, 9);
	assert_events(&trace, "+P@1 +A@2 -A@9* -P@9");
}

static void test_a_killed_program_is_unfinished(void **state)
{
	struct trace trace = trace_new();
	uint32_t program = synthetic_region(trace.synthetic, KYMO_REGION_PROGRAM, "P");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, program, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	assert_events(&trace, "+P@1 +A@2 -A@2* -P@2*");
}

/* The stack every event of a cursor leaves behind; fails where they do not balance. */
struct stack {
	uint32_t *regions;
	size_t depth;
	uint64_t time;
};

static void stack_take(struct stack *stack, const struct trace_event *event)
{
	assert_true(event->ticks >= stack->time);
	stack->time = event->ticks;
	if (event->kind == TRACE_ENTER) {
		stack->regions[stack->depth++] = event->region;
	} else if (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWIND) {
		assert_true(stack->depth > 0);
		assert_int_equal(stack->regions[--stack->depth], event->region);
	}
}

static void test_garbage_balances(void **state)
{
	unsigned short seed[3] = {7, 8, 9};

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct trace trace = trace_new();
		uint64_t words[400];
		struct stack stack = {.regions = calloc(401, sizeof(uint32_t))};
		struct recording *recording;
		struct trace_cursor *cursor;
		struct trace_event event;

		for (size_t i = 0; i < 400; i++) {
			uint64_t random = (uint64_t)nrand48(seed) << 33 ^ (uint64_t)nrand48(seed)
										  << 11;

			/* Mostly small regions, so that some match. */
			words[i] = round % 2 ? random
					     : kymo_event_head((enum kymo_event_kind)(random >> 61),
							       (uint32_t)(random >> 40 & 3),
							       random & 0xffff);
		}
		synthetic_words(trace.synthetic, trace.thread, words, 400);
		recording = synthetic_open(trace.synthetic);
		assert_int_equal(trace_cursor_new(recording, trace.thread, &cursor), KYMO_OK);
		while (trace_cursor_next(cursor, &event))
			stack_take(&stack, &event);
		assert_int_equal(stack.depth, 0);
		trace_cursor_free(cursor);
		recording_free(recording);
		synthetic_free(trace.synthetic);
		free(stack.regions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balanced_trace_comes_as_it_is),
		cmocka_unit_test(test_thread_without_events),
		cmocka_unit_test(test_open_regions_are_closed_at_the_end),
		cmocka_unit_test(test_leave_of_outer_closes_inner),
		cmocka_unit_test(test_leave_matches_the_innermost),
		cmocka_unit_test(test_leave_without_enter_is_dropped),
		cmocka_unit_test(test_unknown_regions_are_dropped),
		cmocka_unit_test(test_unwind_all),
		cmocka_unit_test(test_unwind_inside_of_a_region),
		cmocka_unit_test(test_time_never_goes_back),
		cmocka_unit_test(test_a_program_ends_with_its_process),
		cmocka_unit_test(test_a_killed_program_is_unfinished),
		cmocka_unit_test(test_garbage_balances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
