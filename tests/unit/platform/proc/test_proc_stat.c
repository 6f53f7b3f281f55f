/* Fields of a stat file, behind a name that looks like some. */
#include "platform/proc/proc_stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"

static const char text[] =
	"71 (a) R 1 (b) S 5 6 7 8 -1 4194560 100 200 3 400 50 60 70 80 -20 0 1 0 9999 123";

static void test_fields(void **state)
{
	uint64_t fields[PROC_STAT_FIELDS];

	(void)state;
	assert_true(proc_stat_parse(text, fields));
	assert_int_equal(fields[PROC_STAT_STATE], 'S');
	assert_int_equal(fields[PROC_STAT_PARENT], 5);
	assert_int_equal((int64_t)fields[8], -1);
	assert_int_equal(fields[PROC_STAT_FLAGS], 4194560);
	assert_int_equal(fields[PROC_STAT_MINOR_FAULTS], 100);
	assert_int_equal(fields[PROC_STAT_MAJOR_FAULTS], 3);
	assert_int_equal((int64_t)fields[18], -20);
	assert_int_equal(fields[PROC_STAT_START], 9999);
	assert_int_equal(fields[23], 123);
	assert_int_equal(fields[24], 0);
	assert_int_equal(fields[PROC_STAT_ARGUMENTS], 0);
}

static void test_none(void **state)
{
	uint64_t fields[PROC_STAT_FIELDS];

	(void)state;
	assert_false(proc_stat_parse("", fields));
	assert_false(proc_stat_parse("71 (a", fields));
	assert_false(proc_stat_parse("71 (a)", fields));
	assert_false(proc_stat_parse("71 (a) ", fields));
	assert_true(proc_stat_parse("71 (a) Z", fields));
	assert_int_equal(fields[PROC_STAT_STATE], 'Z');
	assert_int_equal(fields[PROC_STAT_PARENT], 0);
}

static void test_of_a_process(void **state)
{
	uint64_t fields[PROC_STAT_FIELDS];

	(void)state;
	prctl(PR_SET_NAME, ") R 1 (");
	assert_true(proc_stat_read(PROC_SELF, 0, fields));
	assert_int_equal(fields[PROC_STAT_STATE], 'R');
	assert_int_equal(fields[PROC_STAT_PARENT], getppid());
	assert_true(fields[PROC_STAT_CODE_START] <= (uintptr_t)test_none &&
		    fields[PROC_STAT_CODE_END] >= (uintptr_t)test_none);
	assert_false(proc_stat_read(INT32_MAX, 0, fields));
}

static void test_states(void **state)
{
	pid_t child = fork();
	siginfo_t ended;

	(void)state;
	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_stat_state(child, 0), 'Z');
	assert_true(proc_stat_has_ended(child, child));
	waitpid(child, NULL, 0);
	assert_int_equal(proc_stat_state(child, 0), 'X');
	assert_true(proc_stat_has_ended(child, 0));
	assert_false(proc_stat_has_ended(PROC_SELF, getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_of_a_process),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
