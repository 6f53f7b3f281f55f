/* What a thread has had of the GIL: how long, how often, and from whom. */
#include "collectors/gil/gil_thread.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

__thread struct kymo_thread *kymo_thread_current;

static struct kymo_thread_record record;
static struct kymo_header header;
static struct kymo_thread thread;
static uint64_t now_ns = 1000000000;
static uint32_t entered, left_count;
static double series[8];
static uint32_t defined;

struct kymo_thread *kymo_thread_attach(void)
{
	return &thread;
}

bool kymo_admits_slow(struct kymo_thread *of)
{
	(void)of;
	return false;
}

uint64_t systemclock_ns(clockid_t clock)
{
	(void)clock;
	return now_ns;
}

uint32_t kymo_thread_number(const struct kymo_thread *of)
{
	(void)of;
	return 4;
}

uint32_t kymo_series_define_for(const char *name, const char *unit, uint32_t number)
{
	(void)name, (void)unit;
	assert_int_equal(number, 4);
	return ++defined;
}

bool kymo_points_append(struct kymo_points *points, uint32_t id, uint64_t ticks, double value)
{
	(void)points, (void)ticks;
	series[id] = value;
	return true;
}

uint32_t kymo_region_intern(const struct kymo_region_spec *spec)
{
	assert_string_equal(spec->name, "waiting for the GIL");
	return 9;
}

bool kymo_region_enter(struct kymo_thread *of, uint32_t region)
{
	(void)of;
	assert_int_equal(region, 9);
	entered++;
	return true;
}

void kymo_region_leave(struct kymo_thread *of, uint32_t region)
{
	(void)of, (void)region;
	left_count++;
}

bool kymo_helper_register(const struct kymo_helper *given)
{
	(void)given;
	return true;
}

static int begin(void **state)
{
	(void)state;
	thread = (struct kymo_thread){.record = &record, .base = (char *)&header};
	kymo_thread_current = &thread;
	thread_go_on(true); /* none is known */
	defined = entered = left_count = 0;
	memset(series, 0, sizeof(series));
	gil_thread_begin();
	return 0;
}

static void test_waiting_is_a_region(void **state)
{
	(void)state;
	gil_is_wanted();
	gil_is_wanted(); /* it waits on, with a new limit */
	assert_int_equal(entered, 1);
	now_ns += 5000000;
	gil_was_taken();
	assert_int_equal(left_count, 1);
	assert_int_equal(own->waited, 5000000);
	gil_was_taken(); /* without a wait */
	assert_int_equal(left_count, 1);
	assert_int_equal(own->takes, 2);
	assert_int_equal(own->changes, 1); /* nobody else had it in between */
}

/* Points are written when some time has passed, and say what there is in all. */
static void test_points_of_what_was_held(void **state)
{
	(void)state;
	gil_was_taken();
	now_ns += 3000000;
	gil_is_dropped();
	assert_true(series[HELD + 1] > 0.00299 && series[HELD + 1] < 0.00301);
	gil_was_taken();
	now_ns += 4000000;
	gil_is_dropped(); /* too early for another point */
	assert_true(series[HELD + 1] < 0.00301);
	gil_was_taken();
	now_ns += 20000000;
	gil_is_dropped();
	assert_true(series[HELD + 1] > 0.02699 && series[HELD + 1] < 0.02701);
	assert_true(series[TAKES + 1] == 3);
}

/* What is held when the recording closes counts up to then. */
static void test_the_end(void **state)
{
	(void)state;
	gil_was_taken();
	now_ns += 7000000;
	(helper.stop)(); /* which cmocka has a macro of, too */
	assert_true(series[HELD + 1] > 0.00699 && series[HELD + 1] < 0.00701);
	assert_true(series[CHANGES + 1] == 1);
}

static void test_a_thread_that_is_not_recorded(void **state)
{
	(void)state;
	thread.record = NULL;
	gil_is_wanted();
	gil_was_taken();
	gil_is_dropped();
	assert_int_equal(thread_count, 0);
	assert_int_equal(entered, 0);
}

static void test_too_many_threads(void **state)
{
	(void)state;
	thread_count = THREADS_MAX;
	gil_was_taken();
	assert_null(own);
	assert_int_equal(thread_count, THREADS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_waiting_is_a_region, begin),
		cmocka_unit_test_setup(test_points_of_what_was_held, begin),
		cmocka_unit_test_setup(test_the_end, begin),
		cmocka_unit_test_setup(test_a_thread_that_is_not_recorded, begin),
		cmocka_unit_test_setup(test_too_many_threads, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
