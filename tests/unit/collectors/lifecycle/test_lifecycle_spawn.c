/* posix_spawn and the shells of the C library: what is given, and which are noted. */
#include "collectors/lifecycle/lifecycle_spawn.c"

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
static int result;
static bool is_restricted;
static unsigned noted, checked;
static size_t entries;

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

void exec_inspect(const char *path, struct exec_facts *facts)
{
	(void)path;
	facts->obstacle = obstacle;
}

int exec_search(const char *name, const char *path, char *found, size_t size)
{
	(void)path;
	assert_true(size > strlen(name));
	strcpy(found, name);
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
	(void)path, (void)facts;
	noted++;
}

void lifecycle_target_flush(void)
{
}

void lifecycle_environment_check(void)
{
	checked++;
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

static int fake_spawn(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attributes, char *const arguments[],
		      char *const environment[])
{
	(void)process, (void)file, (void)actions, (void)attributes, (void)arguments;
	received = environment;
	return result;
}

static int fake_shell(const char *command)
{
	(void)command;
	return 3;
}

static int begin(void **state)
{
	(void)state;
	wrap_slot_posix_spawn = wrap_slot_posix_spawnp = (void *)fake_spawn;
	wrap_slot_system = (void *)fake_shell;
	obstacle = EXEC_NONE;
	is_restricted = false;
	noted = checked = 0;
	result = 0;
	entries = 8;
	return 0;
}

static int spawn(void)
{
	const struct lifecycle_spawn call = {
		.file = "/bin/prog", .argv = argv, .environment = given};

	return lifecycle_spawn(&call);
}

static void test_it_is_given_what_it_needs(void **state)
{
	(void)state;
	assert_int_equal(spawn(), 0);
	assert_ptr_equal(received, completed);
	entries = 0; /* too many to copy */
	spawn();
	assert_ptr_equal(received, given);
}

/* One that did not start is not missed in the recording. */
static void test_noted_when_it_runs(void **state)
{
	(void)state;
	obstacle = EXEC_STATIC;
	spawn();
	assert_ptr_equal(received, given);
	assert_int_equal(noted, 1);
	result = ENOENT;
	assert_int_equal(spawn(), ENOENT);
	assert_int_equal(noted, 1);
	result = 0;
	is_restricted = true; /* files are not ours to open */
	spawn();
	assert_int_equal(noted, 1);
}

static void test_a_shell(void **state)
{
	(void)state;
	assert_int_equal(lifecycle_shell("true"), 3);
	assert_int_equal(checked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_it_is_given_what_it_needs, begin),
		cmocka_unit_test_setup(test_noted_when_it_runs, begin),
		cmocka_unit_test_setup(test_a_shell, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
