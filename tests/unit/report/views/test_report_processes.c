/* The processes of a run, one row each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_parents_and_times(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	ASSERT_VIEW(&fixture, report_processes,
		    "pid,parent,start,duration,threads,calls,state,program\n"
		    "40,1,0,0.0001,1,5,closed,(unknown)\n"
		    "41,40,0,0.0003,1,5,closed,(unknown)\n");
	report_fixture_release(&fixture);
}

static void test_killed_process_is_open(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "run", "/u/main.py", 3), 0, 30);
	synthetic_enter(made, 0, report_fixture_region(made, "stay", "/u/main.py", 3), 30 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_processes,
		    "PID  PARENT  START      RAN  THREADS  CALLS  STATE  PROGRAM\n"
		    " 40       1    0 s  30.0 us        1      2  open   (unknown)\n");
	report_fixture_release(&fixture);
}

static void test_later_process_and_its_program(void **state)
{
	struct synthetic *made[2] = {report_fixture_run(1), report_fixture_run(2)};
	struct report_fixture fixture;

	(void)state;
	synthetic_header(made[1])->start_realtime_ns += 50 * US;
	synthetic_note(made[1], KYMO_NOTE_INFO, "program", "/usr/bin/worker");
	synthetic_thread(made[1], 0, "helper", 10 * US);
	report_fixture_open(&fixture, made, 2, false);
	ASSERT_TEXT(&fixture, report_processes,
		    "PID  PARENT    START     RAN  THREADS  CALLS  STATE   PROGRAM\n"
		    " 40       1      0 s  100 us        1      5  closed  (unknown)\n"
		    " 41      40  50.0 us  200 us        2      5  closed  worker\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parents_and_times),
		cmocka_unit_test(test_killed_process_is_open),
		cmocka_unit_test(test_later_process_and_its_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
