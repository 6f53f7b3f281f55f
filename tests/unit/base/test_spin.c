/* The lock that refuses its holder: mutual exclusion, and no deadlock in a handler. */
#include "base/spin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS	20000

static struct spin lock;
static __thread char token;
static uint64_t guarded; /* by the lock; deliberately not atomic */

static bool acquire(void)
{
	return spin_acquire(&lock, (uintptr_t)&token);
}

static void test_holder_is_refused(void **state)
{
	(void)state;
	assert_true(acquire());
	assert_false(acquire());
	assert_false(acquire());
	spin_release(&lock);
	assert_true(acquire());
	spin_release(&lock);
}

static void test_another_is_given_up(void **state)
{
	static char other;

	(void)state;
	assert_true(spin_acquire_within(&lock, (uintptr_t)&other, 0));
	assert_false(spin_acquire_within(&lock, (uintptr_t)&token, 0));
	assert_false(spin_acquire_within(&lock, (uintptr_t)&token, 100));
	assert_false(spin_acquire_within(&lock, (uintptr_t)&other, 100));
	spin_release(&lock);
	assert_true(spin_acquire_within(&lock, (uintptr_t)&token, 100));
	spin_release(&lock);
}

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		if (!acquire())
			abort();
		guarded++;
		spin_release(&lock);
	}
	return NULL;
}

static void test_threads_exclude_each_other(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	guarded = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(guarded, THREADS * ROUNDS);
}

static volatile sig_atomic_t was_refused;

static void on_signal(int number)
{
	(void)number;
	was_refused = !acquire();
}

static void test_handler_over_the_holder(void **state)
{
	(void)state;
	signal(SIGUSR1, on_signal);
	assert_true(acquire());
	raise(SIGUSR1);
	assert_true(was_refused);
	spin_release(&lock);
	raise(SIGUSR1);
	assert_false(was_refused);
	spin_release(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holder_is_refused),
		cmocka_unit_test(test_another_is_given_up),
		cmocka_unit_test(test_threads_exclude_each_other),
		cmocka_unit_test(test_handler_over_the_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
