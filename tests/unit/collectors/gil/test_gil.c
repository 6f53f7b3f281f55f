/* In front of the conditions: whose signals and waits are the GIL's. */
#include "collectors/gil/gil.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/settings_fixture.h"

__thread struct kymo_thread *kymo_thread_current;
struct gil_conditions gil_conditions; /* that of gil_find.c, which is not here */
static struct kymo_thread thread;
static pthread_cond_t taken, dropped, other;
static pthread_mutex_t mutex;
static unsigned real_calls, was_taken, was_dropped, was_wanted, looks, begun;
static uint32_t blocked; /* in the latest wait */

struct kymo_thread *kymo_thread_attach(void)
{
	return &thread;
}

void kymo_runtime_on_open(kymo_open_fn listener)
{
	(void)listener;
}

void gil_find(void)
{
	looks++;
}

void gil_find_begin(void)
{
}

void gil_thread_begin(void)
{
	begun++;
}

void gil_is_wanted(void)
{
	was_wanted++;
}

void gil_was_taken(void)
{
	was_taken++;
}

void gil_is_dropped(void)
{
	was_dropped++;
}

static int fake_signal(pthread_cond_t *condition)
{
	(void)condition;
	real_calls++;
	return 11;
}

static int fake_wait(pthread_cond_t *condition, pthread_mutex_t *with)
{
	(void)condition, (void)with;
	blocked = thread.blocked;
	return 12;
}

static int fake_timed_wait(pthread_cond_t *condition, pthread_mutex_t *with,
			   const struct timespec *time)
{
	(void)condition, (void)with, (void)time;
	blocked = thread.blocked;
	return 13;
}

static int setup(void **state)
{
	(void)state;
	wrap_slot_pthread_cond_signal = (void *)fake_signal;
	wrap_slot_pthread_cond_wait = (void *)fake_wait;
	wrap_slot_pthread_cond_timedwait = (void *)fake_timed_wait;
	real_calls = was_taken = was_dropped = was_wanted = looks = begun = 0;
	gil_conditions = (struct gil_conditions){(uintptr_t)&dropped, (uintptr_t)&taken};
	is_on = true;
	settings_forget();
	return 0;
}

static void test_signals(void **state)
{
	(void)state;
	assert_int_equal(gil_signal(&taken), 11);
	assert_int_equal(gil_signal(&dropped), 11);
	assert_int_equal(gil_signal(&other), 11);
	assert_int_equal(real_calls, 3);
	assert_int_equal(was_taken, 1);
	assert_int_equal(was_dropped, 1);
	assert_int_equal(looks, 0);
}

static void test_it_is_looked_for_until_it_is_found(void **state)
{
	(void)state;
	gil_conditions = (struct gil_conditions){0, 0};
	gil_signal(&other);
	assert_int_equal(looks, 1);
	is_on = false;
	gil_signal(&other);
	assert_int_equal(looks, 1);
	assert_int_equal(real_calls, 2);
}

/* Other collectors see nothing of waits for it; those of others are as ever. */
static void test_waits(void **state)
{
	(void)state;
	assert_int_equal(gil_wait(&dropped, &mutex), 12);
	assert_int_equal(blocked, 1);
	assert_int_equal(gil_timed_wait(&dropped, &mutex, NULL), 13);
	assert_int_equal(blocked, 1);
	assert_int_equal(was_wanted, 2);
	assert_int_equal(thread.blocked, 0);
	gil_wait(&taken, &mutex);
	assert_int_equal(blocked, 0);
	assert_int_equal(was_wanted, 2);
	is_on = false;
	gil_wait(&dropped, &mutex);
	assert_int_equal(was_wanted, 2);
}

static void test_only_when_it_is_asked_for(void **state)
{
	(void)state;
	is_on = false;
	gil_on_open();
	settings_give("TRACE_GIL", "OFF");
	gil_on_open();
	assert_false(is_on);
	settings_give("TRACE_GIL", "ON");
	gil_on_open();
	assert_true(is_on);
	assert_int_equal(begun, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_signals, setup),
		cmocka_unit_test_setup(test_it_is_looked_for_until_it_is_found, setup),
		cmocka_unit_test_setup(test_waits, setup),
		cmocka_unit_test_setup(test_only_when_it_is_asked_for, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
