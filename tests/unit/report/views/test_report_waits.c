/* What threads wait for, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_sampled_fixture.h"

static void test_samples(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_VIEW(&fixture, report_waits,
		    "time,percent,count,waits_for,object,call,function,file,line\n"
		    "3.072e-05,30,1,lock,0xabc000,futex,f,/src/a.py,11\n");
	ASSERT_TEXT(&fixture, report_waits,
		    "   TIME  % TIME  TIMES  FOR   OBJECT    WHERE\n"
		    "30.7 us    30.0      1  lock  0xabc000  f  a.py:11\n");
	report_fixture_release(&fixture);
}

/* A lock that is taken by run from 10 to 30 us and from 50 to 60 us, and a call without a lock. */
static void test_recorded_calls(void **state)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t run = report_fixture_region(made, "run", "/u/main.py", 3);
	uint32_t lock = synthetic_region(made, KYMO_REGION_PTHREAD, "pthread_mutex_lock");
	uint32_t spawn = synthetic_region(made, KYMO_REGION_PTHREAD, "pthread_create");
	uint64_t object = synthetic_string(made, "(0x1040)");
	struct report_fixture fixture;

	(void)state;
	synthetic_region_at(made, lock)->flags |= KYMO_REGION_OBJECT;
	synthetic_region_at(made, lock)->arguments = object;
	synthetic_enter(made, 0, run, 0);
	report_fixture_visit(made, lock, 10, 30);
	report_fixture_visit(made, spawn, 30, 50);
	report_fixture_visit(made, lock, 50, 60);
	synthetic_leave(made, 0, run, 100 * US);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_VIEW(&fixture, report_waits,
		    "time,percent,count,waits_for,object,call,function,file,line\n"
		    "3e-05,30,2,lock,(0x1040),pthread_mutex_lock,run,/u/main.py,3\n");
	ASSERT_TEXT(&fixture, report_waits,
		    "   TIME  % TIME  TIMES  FOR   OBJECT    WHERE\n"
		    "30.0 us    30.0      2  lock  (0x1040)  pthread_mutex_lock from run\n");
	report_fixture_release(&fixture);
}

/* run waits for it in both threads, 20 us in the first and 30 us in the other. */
static void test_threads_add_up(void **state)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t run = report_fixture_region(made, "run", "/u/main.py", 3);
	uint32_t lock = synthetic_region(made, KYMO_REGION_PTHREAD, "pthread_mutex_lock");
	struct report_fixture fixture;

	(void)state;
	synthetic_thread(made, 0, "other", 0);
	synthetic_region_at(made, lock)->flags |= KYMO_REGION_OBJECT;
	for (uint32_t thread = 0; thread < 2; thread++) {
		synthetic_enter(made, thread, run, 0);
		synthetic_enter(made, thread, lock, 10 * US);
		synthetic_leave(made, thread, lock, (30 + 10 * thread) * US);
		synthetic_leave(made, thread, run, 100 * US);
	}
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_VIEW(&fixture, report_waits,
		    "time,percent,count,waits_for,object,call,function,file,line\n"
		    "5e-05,25,2,lock,,pthread_mutex_lock,run,/u/main.py,3\n");
	report_fixture_release(&fixture);
}

static void test_nobody_waits(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_TEXT(&fixture, report_waits,
		    "TIME  % TIME  TIMES  FOR  OBJECT  WHERE\n"
		    "(no thread was seen waiting)\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_recorded_calls),
		cmocka_unit_test(test_threads_add_up),
		cmocka_unit_test(test_nobody_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
