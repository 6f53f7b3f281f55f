/* Programs that are not recorded: each is noted once, by whoever may write. */
#include "collectors/lifecycle/lifecycle_target.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

static bool is_here, is_restricted, is_in_reach;
static enum kymo_runtime_state runtime_state;

bool kymo_runtime_is_here(void)
{
	return is_here;
}

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

enum kymo_runtime_state kymo_runtime_state(void)
{
	return runtime_state;
}

bool lifecycle_environment_is_in_reach(void)
{
	return is_in_reach;
}

static int begin(void **state)
{
	(void)state;
	memset(noted, 0, sizeof(noted));
	memset(pending, 0, sizeof(pending));
	notes_forget();
	is_here = is_in_reach = true;
	is_restricted = false;
	runtime_state = KYMO_RUNTIME_ACTIVE;
	return 0;
}

static void note(const char *path, enum exec_obstacle obstacle)
{
	const struct exec_facts facts = {.obstacle = obstacle};

	lifecycle_target_note(path, &facts);
}

static void test_once_a_program_and_reason(void **state)
{
	const struct exec_facts musl = {.obstacle = EXEC_OTHER_LIBC, .is_musl = true};

	(void)state;
	note("/bin/a", EXEC_STATIC);
	note("/bin/a", EXEC_STATIC);
	assert_string_equal(notes_kept,
			    "program: '/bin/a' is statically linked: it was not recorded\n");
	note("/bin/a", EXEC_PRIVILEGED);
	lifecycle_target_note("/bin/b", &musl);
	assert_non_null(strstr(notes_kept, "'/bin/b'"));
	assert_non_null(strstr(notes_kept, " (musl): it was not recorded\n"));
}

static void test_tools_of_the_c_library(void **state)
{
	(void)state;
	note("/sbin/ldconfig", EXEC_STATIC);
	note("sln", EXEC_STATIC);
	assert_string_equal(notes_kept, "");
	note("/sbin/ldconfig", EXEC_PRIVILEGED); /* that would be another one */
	note("/sbin/ldconfig2", EXEC_STATIC);
	assert_non_null(strstr(notes_kept, "ldconfig'"));
	assert_non_null(strstr(notes_kept, "ldconfig2'"));
}

/* A child that shares its parent's memory leaves the text to the parent. */
static void test_in_a_child_that_may_not_write(void **state)
{
	(void)state;
	is_here = false;
	note("/bin/a", EXEC_STATIC);
	lifecycle_target_flush();
	assert_string_equal(notes_kept, "");
	is_here = true;
	lifecycle_target_flush();
	lifecycle_target_flush();
	assert_string_equal(notes_kept,
			    "program: '/bin/a' is statically linked: it was not recorded\n");
	notes_forget();
	is_here = false;
	runtime_state = KYMO_RUNTIME_CLOSED;
	note("/bin/b", EXEC_STATIC);
	is_here = true;
	lifecycle_target_flush();
	assert_string_equal(notes_kept, "");
}

static void test_too_many_to_tell(void **state)
{
	char path[32];
	unsigned lines = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * NOTED_MAX; i++) {
		notes_forget();
		snprintf(path, sizeof(path), "/bin/%u", i);
		note(path, EXEC_STATIC);
		lines += notes_kept[0] != '\0';
	}
	assert_int_equal(lines, NOTED_MAX);
}

static void test_who_can_join(void **state)
{
	struct exec_facts facts = {.obstacle = EXEC_NONE};

	(void)state;
	lifecycle_target_consider(&facts);
	assert_true(lifecycle_target_can_join(&facts));
	is_restricted = true;
	assert_false(lifecycle_target_can_join(&facts));
	is_restricted = is_in_reach = false;
	lifecycle_target_consider(&facts);
	assert_int_equal(facts.obstacle, EXEC_OUT_OF_REACH);
	assert_false(lifecycle_target_can_join(&facts));
	facts.obstacle = EXEC_STATIC; /* the file's own obstacle is the one that is told */
	lifecycle_target_consider(&facts);
	assert_int_equal(facts.obstacle, EXEC_STATIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_once_a_program_and_reason, begin),
		cmocka_unit_test_setup(test_tools_of_the_c_library, begin),
		cmocka_unit_test_setup(test_in_a_child_that_may_not_write, begin),
		cmocka_unit_test_setup(test_too_many_to_tell, begin),
		cmocka_unit_test_setup(test_who_can_join, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
