/* A region around each call that waits, and none around what is had at once. */
#include "collectors/waits/waits.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/settings_fixture.h"

struct waits_real waits_found;
__thread struct kymo_thread *kymo_thread_current;

static struct kymo_header header;
static struct kymo_thread thread = {.base = (char *)&header};
static unsigned entered, left_count, watched, mode = 1;
static const void *entered_for;
static int trywait_result;

struct kymo_thread *kymo_thread_attach(void)
{
	return &thread;
}

bool kymo_admits_slow(struct kymo_thread *of)
{
	(void)of;
	return false;
}

uint32_t kymo_object_region_slow(struct kymo_object_regions *regions, uint64_t address)
{
	(void)regions;
	entered_for = (const void *)(uintptr_t)address;
	return 5;
}

bool kymo_region_enter(struct kymo_thread *of, uint32_t region)
{
	(void)of;
	assert_int_equal(region, 5);
	entered++;
	return true;
}

void kymo_region_leave(struct kymo_thread *of, uint32_t region)
{
	(void)of;
	assert_int_equal(region, 5);
	left_count++;
	errno = EBADF; /* it may set it */
}

void kymo_runtime_on_open(kymo_open_fn listener)
{
	(void)listener;
}

unsigned kymo_runtime_mode(void)
{
	return mode;
}

void kymo_modules_watch(void)
{
	watched++;
}

void waits_resolve(void)
{
}

static int fake_trywait(sem_t *semaphore)
{
	(void)semaphore;
	errno = EAGAIN;
	return trywait_result;
}

static int fake_wait(sem_t *semaphore)
{
	(void)semaphore;
	assert_int_equal(entered, left_count + (groups & CONDITIONS ? 1 : 0));
	errno = EINTR;
	return -1;
}

static int fake_join(pthread_t id, void **value)
{
	(void)id, (void)value;
	return 35;
}

static int setup(void **state)
{
	(void)state;
	waits_found.sem_trywait = fake_trywait;
	waits_found.sem_wait = fake_wait;
	waits_found.pthread_join = fake_join;
	entered = left_count = watched = 0;
	mode = 1;
	thread.blocked = 0;
	trywait_result = -1;
	settings_forget();
	__atomic_store_n(&groups, JOIN | CONDITIONS, __ATOMIC_RELAXED);
	return 0;
}

static void test_what_waits(void **state)
{
	sem_t semaphore;

	(void)state;
	assert_int_equal(waits_sem_wait(&semaphore), -1);
	assert_int_equal(errno, EINTR); /* the real function's */
	assert_ptr_equal(entered_for, &semaphore);
	assert_int_equal(left_count, 1);
	assert_int_equal(waits_pthread_join(pthread_self(), NULL), 35);
	assert_int_equal(left_count, 2);
}

static void test_what_is_had_at_once(void **state)
{
	sem_t semaphore;

	(void)state;
	trywait_result = 0;
	errno = 0;
	assert_int_equal(waits_sem_wait(&semaphore), 0);
	assert_int_equal(entered, 0);
	assert_int_equal(errno, 0);
}

static void test_what_is_not_recorded(void **state)
{
	sem_t semaphore;

	(void)state;
	groups = JOIN;
	waits_sem_wait(&semaphore);
	assert_int_equal(entered, 0);
	thread.blocked = 1;
	assert_int_equal(waits_pthread_join(pthread_self(), NULL), 35);
	assert_int_equal(entered, 0);
}

static void test_groups_by_their_settings(void **state)
{
	(void)state;
	groups = 0;
	settings_give("TRACE_THREAD_JOIN", "ON");
	settings_give("TRACE_THREAD_BARRIERS", "OFF");
	settings_give("TRACE_THREAD_CONDITIONS", "ON");
	mode = 0; /* samples alone */
	waits_on_open();
	assert_int_equal(groups, 0);
	mode = 1;
	waits_on_open();
	assert_int_equal(groups, JOIN | CONDITIONS);
	assert_int_equal(watched, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_what_waits, setup),
		cmocka_unit_test_setup(test_what_is_had_at_once, setup),
		cmocka_unit_test_setup(test_what_is_not_recorded, setup),
		cmocka_unit_test_setup(test_groups_by_their_settings, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
