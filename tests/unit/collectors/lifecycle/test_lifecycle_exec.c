/* exec: what the program is given, and that a failed one leaves the recording open. */
#include "collectors/lifecycle/lifecycle_exec.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char one[] = "A=1", preload[] = "LD_PRELOAD=x", program[] = "prog";
static char *given[] = {one, NULL}, *completed[] = {one, preload, NULL};
static char *argv[] = {program, NULL};
static char *const *received;
static enum exec_obstacle obstacle;
static bool is_restricted;
static unsigned noted, begun, failed, flushed;
static size_t entries;
static char noted_path[64];

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

bool kymo_exec_begin(void)
{
	begun++;
	return true;
}

void kymo_exec_failed(void)
{
	failed++;
}

void exec_inspect(const char *path, struct exec_facts *facts)
{
	(void)path;
	facts->obstacle = obstacle;
}

void exec_inspect_descriptor(int fd, struct exec_facts *facts)
{
	(void)fd;
	facts->obstacle = obstacle;
}

int exec_search(const char *name, const char *path, char *found, size_t size)
{
	(void)path;
	assert_true(size > 16);
	strcpy(stpcpy(found, "/found/"), name);
	return 0;
}

void lifecycle_target_consider(struct exec_facts *facts)
{
	(void)facts;
}

bool lifecycle_target_can_join(const struct exec_facts *facts)
{
	return facts->obstacle == EXEC_NONE;
}

void lifecycle_target_note(const char *path, const struct exec_facts *facts)
{
	(void)facts;
	noted++;
	strcpy(noted_path, path);
}

void lifecycle_target_flush(void)
{
	flushed++;
}

size_t lifecycle_environment_count(char *const environment[])
{
	(void)environment;
	return entries;
}

char *const *lifecycle_environment_pass(struct lifecycle_passing *passing, char **room,
					char *const environment[], bool can_load)
{
	(void)passing, (void)room;
	return can_load ? completed : environment;
}

static int fake_execute(const char *path, char *const arguments[], char *const environment[])
{
	(void)path, (void)arguments;
	received = environment;
	return -1;
}

static int fake_execute_descriptor(int fd, char *const arguments[], char *const environment[])
{
	(void)fd, (void)arguments;
	received = environment;
	return -1;
}

static int begin(void **state)
{
	(void)state;
	wrap_slot_execve = wrap_slot_execvpe = (void *)fake_execute;
	wrap_slot_fexecve = (void *)fake_execute_descriptor;
	obstacle = EXEC_NONE;
	is_restricted = false;
	noted = begun = failed = flushed = 0;
	entries = 8;
	received = NULL;
	return 0;
}

static void test_it_is_given_what_it_needs(void **state)
{
	(void)state;
	assert_int_equal(lifecycle_execute("/bin/prog", argv, given), -1);
	assert_ptr_equal(received, completed);
	assert_int_equal(begun, 1);
	assert_int_equal(failed, 1); /* it came back */
	assert_int_equal(flushed, 1);
	assert_int_equal(noted, 0);
}

static void test_one_that_is_not_recorded_is_noted(void **state)
{
	(void)state;
	obstacle = EXEC_STATIC;
	lifecycle_execute_found("prog", argv, given);
	assert_ptr_equal(received, given);
	assert_string_equal(noted_path, "/found/prog");
	lifecycle_execute_descriptor(5, argv, given);
	assert_string_equal(noted_path, "?"); /* of a descriptor no path is known */
	assert_int_equal(noted, 2);
	obstacle = EXEC_MISSING; /* the program sees that by itself */
	lifecycle_execute("/bin/prog", argv, given);
	assert_int_equal(noted, 2);
}

/* Files are not ours to open where system calls are restricted. */
static void test_restricted(void **state)
{
	(void)state;
	is_restricted = true;
	obstacle = EXEC_STATIC;
	lifecycle_execute("/bin/prog", argv, given);
	assert_int_equal(noted, 0);
	assert_ptr_equal(received, completed);
}

/* What the kernel is to refuse goes to it as it is. */
static void test_calls_that_are_passed_on(void **state)
{
	(void)state;
	lifecycle_execute(NULL, argv, given);
	assert_ptr_equal(received, given);
	entries = 0; /* too many to copy */
	lifecycle_execute("/bin/prog", argv, given);
	assert_ptr_equal(received, given);
	assert_int_equal(begun, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_it_is_given_what_it_needs, begin),
		cmocka_unit_test_setup(test_one_that_is_not_recorded_is_noted, begin),
		cmocka_unit_test_setup(test_restricted, begin),
		cmocka_unit_test_setup(test_calls_that_are_passed_on, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
