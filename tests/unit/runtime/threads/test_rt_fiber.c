/* Fibers: stacks that threads take turns on. */
#include "runtime/threads/thread.h"

#include "thread_fixture.h"

static void lanes_are_used_again(void)
{
	struct kymo_thread *own, *fiber;

	fixture_open(NULL);
	region = fixture_region("f");
	own = kymo_thread();
	for (int i = 0; i < 100; i++) {
		fiber = kymo_fiber_get("greenlet");
		CHECK(fiber != NULL && fiber != own && kymo_fiber_is_valid(fiber));
		CHECK(kymo_fiber_switch(fiber) == own);
		kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
		CHECK(kymo_fiber_switch(own) == fiber);
		CHECK(own->current == own->root);
		kymo_fiber_put(fiber);
		CHECK(fiber->current == fiber->root);
	}
	CHECK(state_count() == 2);
}

/* A fiber from before a fork is of no use in the child, nor is it written to. */
static void fibers_end_with_a_fork(void)
{
	struct kymo_thread *own, *fiber;
	pid_t child;

	fixture_open(NULL);
	region = fixture_region("f");
	own = kymo_thread();
	fiber = kymo_fiber_get("greenlet");
	kymo_fiber_switch(fiber);
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	kymo_fiber_switch(own);
	child = fork();
	if (child == 0) {
		CHECK(!kymo_fiber_is_valid(fiber));
		kymo_fiber_put(fiber);
		CHECK(fiber->current->region == region && fiber->current->enter != 0);
		CHECK(kymo_thread() != own && !kymo_fiber_is_valid(own));
		CHECK(!kymo_fiber_is_valid(fiber));
		kymo_fiber_put(fiber);
		_exit(0);
	}
	wait_for_child(child);
	CHECK(fiber->current->region == region && fiber->current->enter != 0);
	CHECK(kymo_fiber_is_valid(fiber));
	kymo_runtime_close(0);
	CHECK(!kymo_fiber_is_valid(fiber));
}

static void *fork_on_a_fiber(void *unused)
{
	struct kymo_thread *own = kymo_thread(), *fiber = kymo_fiber_get("greenlet");
	pid_t child;

	(void)unused;
	kymo_fiber_switch(fiber);
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	child = fork();
	if (child == 0) {
		CHECK(kymo_thread()->is_fiber && kymo_thread() != fiber);
		CHECK(kymo_thread()->current->region == region);
		CHECK(!kymo_fiber_is_valid(own));
		end_thread();
	}
	wait_for_child(child);
	kymo_fiber_switch(own);
	return NULL;
}

static void fork_on_a_fiber_of_a_thread(void)
{
	fixture_open(NULL);
	region = fixture_region("f");
	run_thread(fork_on_a_fiber, NULL);
	CHECK(count_files() == 2);
}

CASE(lanes_are_used_again)
CASE(fibers_end_with_a_fork)
CASE(fork_on_a_fiber_of_a_thread)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes_are_used_again),
		cmocka_unit_test(test_fibers_end_with_a_fork),
		cmocka_unit_test(test_fork_on_a_fiber_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
