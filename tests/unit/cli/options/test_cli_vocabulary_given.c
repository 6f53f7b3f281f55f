/* What options mean when they are taken together. */
#include "cli/options/vocabulary_given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vocabulary_fixture.h"

static void test_values(void **state)
{
	(void)state;
	assert_choices("-o out pre -- x", "OUTPUT_PATH=out OUTPUT_PREFIX=pre ");
	assert_choices("-o a b -o c -- x", "OUTPUT_PATH=c ");
	assert_choices("-c a.cfg b.cfg -c c.cfg -- x", "CONFIG_FILE=a.cfg:b.cfg:c.cfg ");
	assert_choices("--timemory-components wall_clock,peak_rss trip_count -- x",
		       "TIMEMORY_COMPONENTS=wall_clock,peak_rss,trip_count ");
	assert_choices("-v x", "VERBOSE=1 ");
	assert_choices("-vvv3 x", "VERBOSE=3 ");
	assert_choices("--trace-file a.proto --perfetto-file=b.proto x", "PERFETTO_FILE=b.proto ");
	assert_choices("--profile-format json,console -- x",
		       "TEXT_OUTPUT=OFF JSON_OUTPUT=ON TREE_OUTPUT=ON COUT_OUTPUT=ON ");
	assert_choices("--profile-format text --profile-format json -- x",
		       "TEXT_OUTPUT=ON JSON_OUTPUT=ON TREE_OUTPUT=ON COUT_OUTPUT=OFF ");
	assert_choices("--output-format proto x",
		       "PROFILE=OFF TRACE=ON TEXT_OUTPUT=OFF JSON_OUTPUT=OFF TREE_OUTPUT=OFF ");
	assert_choices("--output-format txt,json x",
		       "PROFILE=ON TRACE=OFF TEXT_OUTPUT=ON JSON_OUTPUT=ON TREE_OUTPUT=ON ");
	assert_choices("--mode trace x", "PROFILE=OFF TRACE=ON SAMPLING=OFF ");
	assert_choices("--mode trace -F x", "PROFILE=ON TRACE=ON SAMPLING=OFF FLAT_PROFILE=ON ");
}

static void test_weak_assignments_yield(void **state)
{
	(void)state;
	assert_choices("-w 1 x", "TRACE_DELAY=1 SAMPLING_DELAY=1 ");
	assert_choices("--trace-wait 2 -w 1 x", "TRACE_DELAY=2 SAMPLING_DELAY=1 ");
	assert_choices("-w 1 --trace-wait 2 x", "TRACE_DELAY=2 SAMPLING_DELAY=1 ");
	assert_choices("-w 1 --sampling-wait 2 x", "TRACE_DELAY=1 SAMPLING_DELAY=2 ");
	assert_choices("-w 1 -w 3 -d 0.5 x", "TRACE_DELAY=3 TRACE_DURATION=0.5 SAMPLING_DELAY=3 "
					     "SAMPLING_DURATION=0.5 ");
}

static void test_samples(void **state)
{
	(void)state;
	assert_choices("-S x", "SAMPLING=ON SAMPLING_REALTIME=OFF SAMPLING_CPUTIME=OFF "
			       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("-S cputime x", "SAMPLING=ON SAMPLING_REALTIME=OFF SAMPLING_CPUTIME=ON "
				       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("--sample=cputime,realtime x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_CPUTIME=ON "
		       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("-S realtime --sample cputime x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_CPUTIME=ON "
		       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("--sample-cputime x", "SAMPLING=ON SAMPLING_CPUTIME=ON ");
	assert_choices("--sample-cputime 250 x",
		       "SAMPLING=ON SAMPLING_CPUTIME=ON SAMPLING_CPUTIME_FREQ=250 ");
	assert_choices("--sample-realtime 250 0.5 0 2-4 -- x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_REALTIME_FREQ=250 "
		       "SAMPLING_REALTIME_DELAY=0.5 SAMPLING_REALTIME_TIDS=0,2-4 ");
	assert_choices("--sample-overflow perf::PERF_COUNT_SW_PAGE_FAULTS x",
		       "SAMPLING=ON SAMPLING_OVERFLOW=ON "
		       "SAMPLING_OVERFLOW_EVENT=perf::PERF_COUNT_SW_PAGE_FAULTS ");
	assert_choices("--cpu x", "SAMPLING=ON ");
	assert_choices("--cpu=50 x", "SAMPLING=ON SAMPLING_FREQ=50 ");
}

static void test_locks(void **state)
{
	(void)state;
	assert_choices("-I mutex-locks -- x", "TRACE_THREAD_LOCKS=ON ");
	assert_choices("--locks -E rw-locks -- x",
		       "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=OFF "
		       "TRACE_THREAD_SPIN_LOCKS=ON ");
	assert_choices("--locks=all x", "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=ON "
					"TRACE_THREAD_SPIN_LOCKS=ON LOCKS_RECORD=all ");
	assert_choices("-I all -E rw-locks,spin-locks -- x",
		       "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=OFF "
		       "TRACE_THREAD_SPIN_LOCKS=OFF TRACE_GIL=ON ");
	assert_choices("-E all ompt -- x", "TRACE_THREAD_LOCKS=OFF TRACE_THREAD_RW_LOCKS=OFF "
					   "TRACE_THREAD_SPIN_LOCKS=OFF TRACE_GIL=OFF ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_weak_assignments_yield),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
