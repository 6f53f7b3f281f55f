/* What sampling says of itself at the end. */
#include "collectors/sampler/sampler_notes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

struct sampler_plan sampler_plan;
static const char *obstacle;
static bool event_is_open;

const char *sampler_interpreter_obstacle(void)
{
	return obstacle;
}

bool sampler_event_is_open(const struct sampler_timer *timer)
{
	(void)timer;
	return event_is_open;
}

static int begin(void **state)
{
	(void)state;
	memset(&sampler_plan, 0, sizeof(sampler_plan));
	memset(&sampler_totals, 0, sizeof(sampler_totals));
	obstacle = NULL;
	event_is_open = true;
	notes_forget();
	return 0;
}

static void test_kinds_by_their_rate(void **state)
{
	(void)state;
	sampler_plan.kind[0] =
		(struct sampler_kind){.is_on = true, .engine = SAMPLER_WALL, .period = 10000000};
	sampler_plan.kind[2] =
		(struct sampler_kind){.is_on = true, .engine = SAMPLER_EVENT, .period = 100000};
	sampler_notes_write();
	assert_string_equal(notes_kept,
			    "sampling realtime: 100 Hz requested, timers on the monotonic clock\n"
			    "sampling overflow: every 100000 events requested, events of the "
			    "kernel\n");
}

/* The handler's own time by the thread's clock, and what the kernel takes for each signal. */
static void test_the_cost_of_all_threads(void **state)
{
	struct sampler_thread thread = {.start_ticks = 1000,
					.seen_ticks = 3000,
					.start_ns = 0,
					.seen_ns = 1000,
					.cost_ticks = 400,
					.cost_count = 3};

	(void)state;
	sampler_totals_add(&thread);
	assert_int_equal(thread.cost_count, 0); /* is not told twice */
	thread.cost_ticks = 200;
	thread.cost_count = 1;
	sampler_totals_add(&thread);
	sampler_notes_write();
	assert_string_equal(notes_kept, "sampling cost ns: 4300\nsampling signals: 4\n");
}

static void test_what_was_lost(void **state)
{
	struct sampler_thread thread = {.stream.lost = 2, .timer[2].engine = SAMPLER_EVENT};

	(void)state;
	sampler_totals_add(&thread);
	assert_int_equal(sampler_totals.closed_events, 0);
	event_is_open = false;
	sampler_totals_add(&thread);
	obstacle = "it is of a version that is not known";
	sampler_notes_write();
	assert_non_null(strstr(notes_kept, "sampling: 1 threads were not sampled to their ends"));
	assert_non_null(strstr(notes_kept, "sampling: Python frames were not sampled: it is of a "
					   "version that is not known\n"));
	assert_non_null(strstr(notes_kept, "sampling: 4 samples at the ends of threads"));
	assert_null(strstr(notes_kept, "had no timer"));
	assert_null(strstr(notes_kept, "Python stacks were changing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kinds_by_their_rate, begin),
		cmocka_unit_test_setup(test_the_cost_of_all_threads, begin),
		cmocka_unit_test_setup(test_what_was_lost, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
