/* Names that threads have in the kernel, where nobody told of them. */
#include "runtime/threads/threadname.h"

#include <pthread.h>
#include <sys/prctl.h>

#include "runtime/store/tables.h"
#include "runtime/store_fixture.h"
#include "runtime/threads/thread.h"

static const char *name_of(const struct kymo_thread *thread)
{
	return string_text(thread->record->name);
}

static void adopt(struct kymo_thread *thread)
{
	CHECK(store_lock());
	threadname_inherit(thread);
	store_unlock();
}

static void *work(void *name)
{
	struct kymo_thread *thread = kymo_thread();

	adopt(thread);
	CHECK(thread->record->name == 0); /* that is the program's */
	prctl(PR_SET_NAME, name);
	adopt(thread);
	CHECK(strcmp(name_of(thread), "worker of mine!") == 0); /* what the kernel keeps */
	prctl(PR_SET_NAME, "other");
	adopt(thread);
	CHECK(strcmp(name_of(thread), "worker of mine!") == 0);
	return NULL;
}

static void run(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, body, argument) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void what_it_calls_itself(void)
{
	static char name[] = "worker of mine! And more";

	fixture_open(NULL);
	threadname_init();
	session.is_resident = true;
	run(work, name);
}
CASE(what_it_calls_itself)

static void *look_up(void *unused)
{
	struct kymo_thread *thread = kymo_thread();

	prctl(PR_SET_NAME, "a b");
	CHECK(store_lock());
	thread->record->name = 0;
	threadname_look_up(thread);
	CHECK(strcmp(name_of(thread), "a b") == 0);
	thread->record->name = 0;
	thread->record->system_id = 1u << 30; /* it is gone */
	threadname_look_up(thread);
	CHECK(thread->record->name == 0);
	store_unlock();
	return unused;
}

static void one_that_runs_on(void)
{
	fixture_open(NULL);
	threadname_init();
	session.is_resident = true;
	run(look_up, NULL);
}
CASE(one_that_runs_on)

static void *stay(void *unused)
{
	prctl(PR_SET_NAME, "unseen");
	adopt(kymo_thread());
	CHECK(kymo_thread()->record->name == 0);
	return unused;
}

/* The interpreter, or what else is recorded, tells the names itself. */
static void only_where_nobody_else_tells(void)
{
	fixture_open(NULL);
	threadname_init();
	session.is_resident = false;
	run(stay, NULL);
}
CASE(only_where_nobody_else_tells)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_it_calls_itself),
		cmocka_unit_test(test_one_that_runs_on),
		cmocka_unit_test(test_only_where_nobody_else_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
