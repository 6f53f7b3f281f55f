/* Memory, losses and what measuring took. */
#include "model/findings/findings.h"

#include "findings_fixture.h"

static struct fixture growing(const double *megabytes, size_t count)
{
	struct synthetic *made = MAKE("main");
	uint32_t series;

	synthetic_header(made)->pid = 42;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	series = synthetic_series(made, "CPU Memory Usage (S)", "MB", KYMO_NO_THREAD);
	for (size_t i = 0; i < count; i++)
		synthetic_point(made, series, i * SECOND, megabytes[i]);
	return close_one(made, count * SECOND);
}

static void test_memory(void **state)
{
	static const double leak[] = {100, 110, 120, 130, 140, 150, 160, 170};
	static const double start[] = {10, 100, 100, 100, 100, 100, 100, 100};
	static const double little[] = {100, 101, 102, 103, 104, 105, 106, 107};
	struct fixture fixture = growing(leak, 8);

	(void)state;
	assert_found(&fixture, "memory",
		     "Memory of process 42 grows all the time: from 100 MB to 170 MB in 7.000 s.");
	fixture = growing(start, 8);
	assert_found(&fixture, "memory", NULL);
	fixture = growing(little, 8);
	assert_found(&fixture, "memory", NULL);
	fixture = growing(leak, 4); /* too few to tell */
	assert_found(&fixture, "memory", NULL);
}

static void test_losses(void **state)
{
	struct synthetic *made = MAKE("main");
	struct fixture fixture;

	(void)state;
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "something is missing");
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "and more");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	fixture = close_one(made, 1000);
	assert_found(&fixture, "losses",
		     "The recording is incomplete or inexact: something is missing (and 1 more).");
	made = MAKE("main");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	fixture = close_one(made, 1000);
	assert_int_equal(fixture.findings->count, 0);
	assert_found(&fixture, "losses", NULL);
}

static struct fixture partly_recorded(uint64_t main_ns)
{
	struct synthetic *made = MAKE("main", "worker");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_thread(made, 0, NULL, 0); /* threads may have nothing to do */
	visit(made, 0, 1, 0, main_ns);
	visit(made, 1, 2, 0, 1);
	return close_one(made, 1000);
}

static void test_unrecorded(void **state)
{
	struct fixture fixture = partly_recorded(400);

	(void)state;
	assert_found(&fixture, "unrecorded",
		     "60 % of the main thread's time is outside any recorded region; "
		     "'kymo sample' shows it.");
	fixture = partly_recorded(600);
	assert_found(&fixture, "unrecorded", NULL);
}

static void test_measuring(void **state)
{
	struct fixture fixture = throttled(1000, 100, 20000);

	(void)state;
	assert_found(&fixture, "measuring",
		     "Measuring took 20 % of the run: times of short functions are mostly "
		     "overhead; 'kymo sample' has less.");
	fixture = throttled(1000, 1000, 20000);
	assert_found(&fixture, "measuring", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_measuring),
		cmocka_unit_test(test_unrecorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
