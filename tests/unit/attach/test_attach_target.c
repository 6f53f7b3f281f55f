/* Which processes may be watched, and what is said of the others. */
#include "attach/target/target.h"

#include <errno.h>
#include <string.h>

#include "child_fixture.h"

static void refuse(pid_t pid, enum kymo_status status, const char *reason)
{
	struct problem problem;
	struct target target;

	assert_int_equal(target_open(pid, &target, &problem), status);
	assert_non_null(strstr(problem.text, reason));
	assert_int_equal(target.handle, -1);
}

static void test_life_and_end(void **state)
{
	struct problem problem;
	struct target target;
	struct child child;

	(void)state;
	child_start(&child, NULL);
	assert_int_equal(target_open(child.pid, &target, &problem), KYMO_OK);
	assert_int_equal(target.parent, getpid());
	assert_false(target.has_own_pids);
	assert_string_equal(target.name, "test_attach_target");
	assert_true(target_is_alive(&target));
	assert_false(target_is_ending(child.pid, child.pid));
	assert_int_equal(target_tracer(&target), 0);
	child_end(&child);
	assert_false(target_is_alive(&target));
	assert_true(target_is_ending(child.pid, child.pid));
	target_close(&target);
	refuse(child.pid, KYMO_ERROR, "there is no process");
}

/* The same where the kernel gives no handle. */
static void test_without_a_handle(void **state)
{
	struct problem problem;
	struct target target;
	struct child child;

	(void)state;
	child_start(&child, NULL);
	assert_int_equal(target_open(child.pid, &target, &problem), KYMO_OK);
	target_close(&target);
	assert_true(target_is_alive(&target));
	target.start_ticks++; /* another process has its number now */
	assert_false(target_is_alive(&target));
	target.start_ticks--;
	child_end(&child);
	assert_false(target_is_alive(&target));
}

static void test_refused(void **state)
{
	struct child child;
	siginfo_t information;

	(void)state;
	refuse(getpid(), KYMO_USAGE, "is kymo itself");
	refuse(0, KYMO_ERROR, "there is no process 0");
	refuse(-5, KYMO_ERROR, "there is no process -5");
	refuse(INT32_MIN + 1, KYMO_ERROR, "there is no process");
	child_start(&child, NULL);
	kill(child.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child.pid, &information, WEXITED | WNOWAIT), 0);
	refuse(child.pid, KYMO_ERROR, "a zombie");
	child_end(&child);
}

static void test_explanations(void **state)
{
	struct problem problem;
	struct target target;
	struct child child;

	(void)state;
	child_start(&child, NULL);
	assert_int_equal(target_open(child.pid, &target, &problem), KYMO_OK);
	assert_int_equal(target_explain(&target, EIO, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, strerror(EIO)));
	assert_int_equal(target_explain(&target, EPERM, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "CAP_SYS_PTRACE"));
	assert_int_equal(target_explain(&target, ESRCH, &problem), KYMO_ERROR);
	assert_non_null(strstr(problem.text, "has ended"));
	target_close(&target);
	child_end(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life_and_end),
		cmocka_unit_test(test_without_a_handle),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_explanations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
