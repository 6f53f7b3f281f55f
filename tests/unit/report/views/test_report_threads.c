/* The threads of a run, one row each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

/* The second runs from 20 to 70 us. */
static struct synthetic *two_threads(void)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t work = report_fixture_region(made, "work", "/u/main.py", 3);
	uint32_t helper = synthetic_thread(made, 0, NULL, 20 * US);

	synthetic_thread_at(made, helper)->system_id = 4343;
	report_fixture_visit(made, work, 0, 30);
	for (uint64_t i = 0; i < 3; i++) {
		synthetic_enter(made, helper, work, (30 + 10 * i) * US);
		synthetic_leave(made, helper, work, (35 + 10 * i) * US);
	}
	synthetic_thread_end(made, helper, 70 * US);
	synthetic_close(made, 100 * US);
	return made;
}

static void test_times_and_calls_are_a_threads_own(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_one(&fixture, two_threads());
	ASSERT_VIEW(&fixture, report_threads,
		    "pid,thread,system_id,start,duration,calls,name\n"
		    "40,0,4242,0,0.0001,1,MainThread\n"
		    "40,1,4343,2e-05,5e-05,3,\n");
	report_fixture_release(&fixture);
}

static void test_of_every_process(void **state)
{
	struct synthetic *made[2] = {two_threads(), report_fixture_run(1)};
	struct report_fixture fixture;

	(void)state;
	report_fixture_open(&fixture, made, 2, false);
	ASSERT_TEXT(&fixture, report_threads,
		    "PID  THREAD  SYSTEM ID    START      RAN  CALLS  NAME\n"
		    " 40       0       4242      0 s   100 us      1  MainThread\n"
		    " 40       1       4343  20.0 us  50.0 us      3  -\n"
		    " 41       0       4242      0 s   100 us      5  MainThread\n");
	report_fixture_release(&fixture);
}

static void test_roots_are_no_calls(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	synthetic_close(made, 5 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_threads,
		    "PID  THREAD  SYSTEM ID  START      RAN  CALLS  NAME\n"
		    " 40       0       4242    0 s  5.00 us      0  MainThread\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_and_calls_are_a_threads_own),
		cmocka_unit_test(test_of_every_process),
		cmocka_unit_test(test_roots_are_no_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
