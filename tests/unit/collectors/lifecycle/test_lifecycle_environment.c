/* What programs are given to join the run, and what is taken away again of it. */
#include "collectors/lifecycle/lifecycle_environment.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

#define OURS	     "/opt/lib/libkymo.so:/opt/lib/libkymo-waits.so"
#define ROOM	     (LIFECYCLE_PASSING_MORE + 8)
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static enum kymo_runtime_state runtime_state;
static struct lifecycle_passing passing;
static char *room[ROOM];

enum kymo_runtime_state kymo_runtime_state(void)
{
	return runtime_state;
}

void kymo_run_sign(char *const *environment)
{
	(void)environment;
}

/* As a process of a run begins; entries must be writable. */
static char given_preload[] = "LD_PRELOAD=" OURS;
static char given_run[] = "KYMO_RUN_DIR=/runs/1";
static char given_enabled[] = "KYMO_TRACE=ON";
static char given_home[] = "HOME=/home/a";

static int begin(void **state)
{
	static char *entries[] = {given_preload, given_run, given_enabled, given_home, NULL};

	(void)state;
	notes_forget();
	kept_count = 0;
	own_libraries = "";
	runtime_state = KYMO_RUNTIME_ACTIVE;
	environ = entries;
	lifecycle_environment_keep();
	return 0;
}

static const char *value_in(char *const *environment, const char *name)
{
	return environment_find(environment, name);
}

static char *const *hand_down(char *const environment[], bool is_loadable)
{
	assert_true(lifecycle_environment_count(environment) <= ROOM);
	return lifecycle_environment_pass(&passing, room, environment, is_loadable);
}

static void test_one_that_is_complete_stays_as_it_is(void **state)
{
	char *const whole[] = {given_preload, given_run, given_home, NULL};

	(void)state;
	assert_ptr_equal(hand_down(whole, true), whole);
}

static void test_an_empty_one_is_completed(void **state)
{
	char *const empty[] = {NULL};
	char *const *made = hand_down(empty, true);

	(void)state;
	assert_string_equal(value_in(made, "LD_PRELOAD"), OURS);
	assert_string_equal(value_in(made, "KYMO_RUN_DIR"), "/runs/1");
	assert_string_equal(value_in(made, "KYMO_TRACE"), "ON");
	assert_string_equal(value_in(made, "KYMO_RUN_ADDED"),
			    "LD_PRELOAD,KYMO_RUN_DIR,KYMO_TRACE,");
	assert_null(value_in(made, "HOME")); /* the program's own affair */
	made = hand_down(NULL, true);
	assert_string_equal(value_in(made, "LD_PRELOAD"), OURS);
}

static void test_another_library_stays_behind_ours(void **state)
{
	char preload[] = "LD_PRELOAD=/usr/lib/libjemalloc.so", trace[] = "KYMO_TRACE=OFF";
	char *const theirs[] = {preload, trace, NULL};
	char *const *made = hand_down(theirs, true);

	(void)state;
	assert_string_equal(value_in(made, "LD_PRELOAD"), OURS ":/usr/lib/libjemalloc.so");
	assert_string_equal(value_in(made, "KYMO_TRACE"), "OFF"); /* what it chose itself */
	assert_string_equal(value_in(made, "KYMO_RUN_ADDED"), "LD_PRELOAD+,KYMO_RUN_DIR,");
}

/* The new process finds exactly what the program gave it. */
static void test_what_was_added_is_taken_away_again(void **state)
{
	char preload[] = "LD_PRELOAD=" OURS ":/usr/lib/libjemalloc.so", run[] = "KYMO_RUN_DIR=/r",
	     added[] = "KYMO_RUN_ADDED=LD_PRELOAD+,KYMO_RUN_DIR,", trace[] = "KYMO_TRACE=OFF";
	char *entries[] = {preload, run, added, trace, NULL};

	(void)state;
	kept_count = 0;
	environ = entries;
	lifecycle_environment_keep();
	assert_string_equal(environ[0], "LD_PRELOAD=/usr/lib/libjemalloc.so");
	assert_string_equal(environ[1], "KYMO_TRACE=OFF");
	assert_null(environ[2]);
	assert_int_equal(kept_count, 2); /* but it knows the run for those that it starts */
	assert_string_equal(own_libraries, OURS);
}

static void test_programs_that_cannot_load_it_are_not_troubled(void **state)
{
	char preload[] = "LD_PRELOAD=" OURS " /usr/lib/libjemalloc.so";
	char *const both[] = {preload, given_home, NULL};
	char *const alone[] = {given_preload, given_home, NULL};
	char *const *made = hand_down(both, false);

	(void)state;
	assert_string_equal(value_in(made, "LD_PRELOAD"), "/usr/lib/libjemalloc.so");
	made = hand_down(alone, false);
	assert_null(value_in(made, "LD_PRELOAD"));
	assert_string_equal(value_in(made, "HOME"), "/home/a");
	assert_ptr_equal(hand_down(alone + 1, false), alone + 1);
}

static void test_who_does_not_want_it(void **state)
{
	static const char *const words[] = {"off", "False", "no", "0"};
	char entry[64];
	char *const refused[] = {entry, NULL};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		snprintf(entry, sizeof(entry), "KYMO_ENABLED=%s", words[i]);
		assert_ptr_equal(hand_down(refused, true), refused);
	}
	strcpy(entry, "KYMO_ENABLED=on");
	assert_ptr_not_equal(hand_down(refused, true), refused);
	runtime_state = KYMO_RUNTIME_CLOSED;
	assert_ptr_equal(hand_down(refused, true), refused);
}

/* What does not fit is left as the program gave it. */
static void test_a_list_that_is_too_long(void **state)
{
	static char theirs[LIFECYCLE_PASSING_TEXT + 32];
	char *const environment[] = {theirs, NULL};

	(void)state;
	strcpy(theirs, "LD_PRELOAD=/");
	memset(theirs + strlen(theirs), 'x', LIFECYCLE_PASSING_TEXT);
	assert_ptr_equal(hand_down(environment, true), environment);
}

static void test_which_libraries_are_ours(void **state)
{
	(void)state;
	assert_true(has_own_libraries("/x/libz.so:/y/libkymo-locks.so"));
	assert_true(has_own_libraries("libkymo.so"));
	assert_false(has_own_libraries("/libkymo/libz.so"));
	assert_false(has_own_libraries("libkymograph.so"));
	assert_false(has_own_libraries("libkymo"));
	assert_false(has_own_libraries(" : "));
	assert_false(has_own_libraries(NULL));
}

/* A shell that the C library starts by itself: said once where it will not join. */
static void test_a_program_that_took_it_out(void **state)
{
	static char *bare[] = {given_home, NULL};

	(void)state;
	environ = bare;
	lifecycle_environment_check();
	assert_non_null(strstr(notes_kept, "environment: the program removed Kymo"));
	notes_forget();
	lifecycle_environment_check();
	assert_string_equal(notes_kept, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_that_is_complete_stays_as_it_is, begin),
		cmocka_unit_test_setup(test_an_empty_one_is_completed, begin),
		cmocka_unit_test_setup(test_another_library_stays_behind_ours, begin),
		cmocka_unit_test_setup(test_what_was_added_is_taken_away_again, begin),
		cmocka_unit_test_setup(test_programs_that_cannot_load_it_are_not_troubled, begin),
		cmocka_unit_test_setup(test_who_does_not_want_it, begin),
		cmocka_unit_test_setup(test_a_list_that_is_too_long, begin),
		cmocka_unit_test_setup(test_which_libraries_are_ours, begin),
		cmocka_unit_test_setup(test_a_program_that_took_it_out, begin),
	};
	char **before = environ;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	environ = before; /* what runs at exit may look */
	return failed;
}
