/* What is asked of a process that was looked at: who is shown, and who has a lock. */
#include "cli/attach/attach_dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "attach/python/threadframes.h"
#include "dump_fixture.h"

static void test_threads_that_were_passed_are_not_shown(void **state)
{
	struct watch_thread thread = {.result = WATCH_PASSED};

	(void)state;
	assert_false(dump_is_shown(&thread));
	thread.result = WATCH_LOST;
	assert_true(dump_is_shown(&thread));
	assert_string_equal(dump_state_text(&thread), "runs");
	thread.task.last.is_asleep = true;
	assert_string_equal(dump_state_text(&thread), "waits");
}

static void test_owner_of_a_lock(void **state)
{
	struct lock_wait wait = {.kind = LOCK_PLAIN, .owner = DUMP_SECOND};
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	assert_ptr_equal(dump_owner(&looked.dump, &wait), &looked.threads[1]);
	wait.owner = DUMP_SECOND + 1; /* it is not watched */
	assert_null(dump_owner(&looked.dump, &wait));
	wait.owner = 0;
	looked.threads[0].task.id = 0;
	assert_null(dump_owner(&looked.dump, &wait));
}

/* Where the lock was taken; else where its owner is, as far as that is known. */
static void test_frame_of_the_owner(void **state)
{
	struct lock_wait wait = {.kind = LOCK_PLAIN, .owner = DUMP_SECOND};
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	assert_int_equal(dump_owner_frame(&looked.dump, &wait), dump_python(1));
	wait.owner_frame = dump_python(0);
	assert_int_equal(dump_owner_frame(&looked.dump, &wait), dump_python(0));
	wait.owner_frame = 0;
	looked.threads[1].result = WATCH_LOST;
	assert_int_equal(dump_owner_frame(&looked.dump, &wait), 0);
}

static void fail_at_variable(void *context, const char *name, const char *value)
{
	(void)context;
	fail_msg("%s = %s", name, value);
}

static void test_frames_that_are_not_known_have_no_variables(void **state)
{
	const struct threadframes frames = {0};
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	dump_variables(&looked.dump, &frames, 0, fail_at_variable, NULL);
	dump_variables(&looked.dump, &frames, 1, fail_at_variable, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_that_were_passed_are_not_shown),
		cmocka_unit_test(test_owner_of_a_lock),
		cmocka_unit_test(test_frame_of_the_owner),
		cmocka_unit_test(test_frames_that_are_not_known_have_no_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
