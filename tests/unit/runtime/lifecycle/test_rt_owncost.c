/* CPU time that is Kymo's own, as the recording's header keeps it. */
#include "runtime/lifecycle/owncost.h"

#include "runtime/store_fixture.h"

/* Use some CPU time of this thread. */
static void work(void)
{
	const uint64_t began = usage_own_ns();

	while (usage_own_ns() < began + 2000000)
		;
}

static void before_it_was_opened(void)
{
	kymo_cost_early(UINT64_C(5000000000));
	kymo_cost_early(UINT64_C(2000000000));
	CHECK(owncost_before_ns() == UINT64_C(7000000000));
	fixture_open(NULL);
	owncost_ready();
	CHECK(store.header->startup_cpu_ns >= UINT64_C(7000000000));
	CHECK(store.header->startup_cpu_ns < UINT64_C(60000000000));
	CHECK(owncost_before_ns() == 0); /* a forked child's has not been */
}
CASE(before_it_was_opened)

static void since_it_began(void)
{
	uint64_t began = usage_own_ns();

	work();
	owncost_open(began);
	CHECK(owncost_before_ns() >= 2000000);
	began = owncost_before_ns();
	owncost_open(0); /* it begins now */
	CHECK(owncost_before_ns() == began);
	owncost_open(usage_own_ns() + UINT64_C(1000000000000)); /* another thread's clock */
	CHECK(owncost_before_ns() == began);
}
CASE(since_it_began)

static void beside(void)
{
	kymo_cost_beside(1); /* there is no recording: nothing happens */
	fixture_open(NULL);
	uint64_t before = store.header->beside_cpu_ns;
	kymo_cost_beside(700);
	kymo_cost_beside(7);
	CHECK(store.header->beside_cpu_ns == before + 707);
}
CASE(beside)

static void late_steps(void)
{
	kymo_coarse_late(1); /* there is no recording: nothing happens */
	fixture_open(NULL);
	CHECK(store.header->coarse_late_ns == 0);
	kymo_coarse_late(600);
	kymo_coarse_late(6);
	CHECK(store.header->coarse_late_ns == 606);
}
CASE(late_steps)

static void the_end(void)
{
	fixture_open(NULL);
	owncost_close(); /* nothing ends */
	CHECK(store.header->closing_cpu_ns == 0);
	kymo_cost_ending();
	work();
	owncost_end(); /* it began to end earlier */
	owncost_close();
	CHECK(store.header->closing_cpu_ns >= 2000000);
	store.header->closing_cpu_ns = 0;
	owncost_close(); /* once */
	CHECK(store.header->closing_cpu_ns == 0);
}
CASE(the_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_it_was_opened),
		cmocka_unit_test(test_since_it_began),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_late_steps),
		cmocka_unit_test(test_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
