/* The calibrated cost of a visit: measured in every mode, and nowhere else to be seen. */
#include "runtime/visitcost.h"

#include "runtime/hot.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

/* No processor makes a visit in less than a nanosecond, or needs a millisecond for it. */
static void is_measured_in(const char *const *settings)
{
	uint64_t end;

	fixture_open(settings);
	kymo_thread();
	end = store.header->end;
	CHECK(store.header->cost_enter_exit_ps == 0);
	visitcost_measure();
	CHECK(store.header->cost_enter_exit_ps > 1000);
	CHECK(store.header->cost_enter_exit_ps < 1000 * 1000 * 1000);
	CHECK(store.header->end == end);
	CHECK(kymo_thread()->current == kymo_thread()->root);
	CHECK(kymo_thread()->record->lost_events == 0);
	CHECK(store.header->lost_events == 0);
}

static void in_a_profile(void)
{
	is_measured_in(NULL);
}

static void in_a_trace(void)
{
	is_measured_in((const char *const[]){"PROFILE=OFF", "TRACE=ON", NULL});
}

static void with_metrics(void)
{
	is_measured_in((const char *const[]){
		"TRACE=ON", "TIMEMORY_COMPONENTS=wall_clock,thread_cpu_clock,peak_rss", NULL});
}

static void by_another_clock(void)
{
	is_measured_in((const char *const[]){"CLOCK=monotonic", NULL});
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(in_a_profile)
CASE(in_a_trace)
CASE(with_metrics)
CASE(by_another_clock)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_a_profile),
		cmocka_unit_test(test_in_a_trace),
		cmocka_unit_test(test_with_metrics),
		cmocka_unit_test(test_by_another_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
