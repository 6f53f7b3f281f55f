/* The threads of sampled processes: what each did with its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/report_sampled_threads.h"
#include "report/report_sampled_fixture.h"

static void test_shares_of_the_time(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_VIEW(&fixture, report_sampled_threads,
		    "pid,thread,samples,wall,cpu,python_percent,native_percent,kernel_percent,"
		    "runnable_percent,waiting_percent,waits_for,name\n"
		    "40,0,4,0.0001024,7.168e-05,50,20,0,0,30,lock 30 %,MainThread\n");
	report_fixture_release(&fixture);
}

static void test_is_the_report_of_threads(void **state)
{
	struct report_fixture fixture;
	char *own;

	(void)state;
	report_fixture_begin_samples(&fixture);
	own = strdup(report_fixture_write(&fixture, report_sampled_threads, NULL, NULL));
	ASSERT_VIEW(&fixture, report_threads, own);
	free(own);
	report_fixture_release(&fixture);
}

/* The two that a thread waits for most. */
static void test_what_it_waits_for(void **state)
{
	struct sampled_fixture sampled = begin();
	uint64_t libc = native(LIBC + 1);
	struct report_fixture fixture;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 20, STACK(&sampled, libc, kernel(230)), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 50,
	    STACK(&sampled, libc, kernel(202) | UINT64_C(0xabc000)), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10,
	    STACK(&sampled, libc, descriptor(45, KYMO_DESCRIPTOR_SOCKET)), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 20, STACK(&sampled, libc), 20);
	report_fixture_begin_sampled(&fixture, &sampled);
	ASSERT_TEXT(&fixture, report_threads,
		    "PID  THREAD  SAMPLES    WALL      CPU  % PYTHON  % NATIVE  % KERNEL  % READY  "
		    "% WAITS  FOR                    NAME\n"
		    " 40       0        4  102 us  20.5 us       0.0      20.0       0.0      0.0  "
		    "   80.0  lock 50 %, sleep 20 %  MainThread\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_of_the_time),
		cmocka_unit_test(test_is_the_report_of_threads),
		cmocka_unit_test(test_what_it_waits_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
