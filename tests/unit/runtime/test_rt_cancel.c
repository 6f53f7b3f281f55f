/* Threads with a request to be cancelled: it acts where the program allows it, never inside
 * of the runtime, whose system calls would be such places. */
#include <pthread.h>

#include "runtime/hot.h"
#include "runtime/modules.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static bool is_through;

static void run_cancelled(void *(*body)(void *))
{
	void *result = NULL;
	pthread_t thread;

	is_through = false;
	CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
	CHECK(pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && is_through);
	CHECK(store_lock());
	store_unlock();
}

/* Longer than the first extents of the file. */
static void intern_many(void)
{
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "region %d", i);
		CHECK(fixture_region(name));
	}
}

static void *grow(void *unused)
{
	pthread_cancel(pthread_self());
	CHECK(kymo_thread()->record);
	intern_many();
	is_through = true;
	pthread_testcancel();
	return unused;
}

static void the_recording_grows(void)
{
	fixture_open(NULL);
	run_cancelled(grow);
	CHECK(store.file.mapped > 1 << 20);
}

static void *look_for_modules(void *unused)
{
	pthread_cancel(pthread_self());
	kymo_modules_record();
	is_through = true;
	pthread_testcancel();
	return unused;
}

static void modules_are_read(void)
{
	fixture_open(NULL);
	run_cancelled(look_for_modules);
	CHECK(store.stream[KYMO_CHUNK_MODULES]);
}

static void *fork_and_record(void *unused)
{
	int status = -1;
	pid_t child;

	CHECK(kymo_thread()->record);
	child = fork();
	if (child == 0) {
		pthread_cancel(pthread_self());
		CHECK(kymo_thread()->record); /* the child's recording is made here */
		intern_many();
		_exit(7); /* one that ended by cancellation would say 0 */
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	is_through = true;
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return unused;
}

static void a_forked_child_begins(void)
{
	fixture_open(NULL);
	run_cancelled(fork_and_record);
}

/* Whoever has switched cancellation off finds it off. */
static void the_state_is_kept(void)
{
	int state = -1;

	fixture_open(NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	intern_many();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	CHECK(state == PTHREAD_CANCEL_DISABLE);
	intern_many();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	CHECK(state == PTHREAD_CANCEL_ENABLE);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(the_recording_grows)
CASE(modules_are_read)
CASE(a_forked_child_begins)
CASE(the_state_is_kept)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_recording_grows),
		cmocka_unit_test(test_modules_are_read),
		cmocka_unit_test(test_a_forked_child_begins),
		cmocka_unit_test(test_the_state_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
