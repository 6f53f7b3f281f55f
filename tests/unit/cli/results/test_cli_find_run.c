/* Which run is meant when none is named. */
#include "cli/results/find_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder_fixture.h"

/* A file that was written so many seconds after the epoch. */
static void put_at(const char *path, time_t seconds)
{
	const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};

	folder_put_text(path, "");
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_folders(void)
{
	static const char *const paths[] = {"a", "a/b", "a/b/c", "a/b/c/d", ".hidden"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_int_equal(mkdir(paths[i], 0755), 0);
}

static void assert_found(const char *expected)
{
	struct problem problem;
	char *path = NULL;

	assert_int_equal(find_run(&path, &problem), KYMO_OK);
	assert_string_equal(path, expected);
}

static void test_the_newest_recording_counts(void **state)
{
	(void)state;
	make_folders();
	put_at("1.kymo", 100);
	assert_found(".");
	put_at("a/b/c/1.kymo", 300);
	put_at("a/2.kymo", 200);
	assert_found("./a/b/c");
	put_at("a/3.kymo", 301);
	assert_found("./a");
}

/* Neither what is deeper, nor hidden, nor of another name, nor where a link leads. */
static void test_what_is_not_looked_at(void **state)
{
	(void)state;
	make_folders();
	put_at("a/1.kymo", 100);
	put_at("a/b/c/d/1.kymo", 900);
	put_at(".hidden/1.kymo", 900);
	put_at(".kymo", 900);
	put_at("a/b/1.kymo.part", 900);
	assert_int_equal(symlink("a/b/c/d", "near"), 0);
	assert_found("./a");
}

static void test_there_is_none(void **state)
{
	struct problem problem;
	char *path = NULL;

	(void)state;
	assert_int_equal(find_run(&path, &problem), KYMO_USAGE);
	assert_null(path);
	assert_string_equal(problem.text, "no run below the working directory; name one, or record "
					  "one with 'kymo python'");
}

static void test_a_run_that_was_named_is_taken(void **state)
{
	char *path = NULL;

	(void)state;
	assert_int_equal(find_run_or_newest("not looked at", &path, NULL), KYMO_OK);
	assert_string_equal(path, "not looked at");
	put_at("1.kymo", 100);
	assert_int_equal(find_run_or_newest(NULL, &path, NULL), KYMO_OK);
	assert_string_equal(path, ".");
}

static void test_one_run_at_most(void **state)
{
	char *argv[] = {(char *)"a", (char *)"b", NULL};
	const char *given = "before";
	struct problem problem;

	(void)state;
	assert_int_equal(find_run_take(0, argv, &given, &problem), OPTIONS_PARSED);
	assert_null(given);
	assert_int_equal(find_run_take(1, argv, &given, &problem), OPTIONS_PARSED);
	assert_string_equal(given, "a");
	assert_int_equal(find_run_take(2, argv, &given, &problem), OPTIONS_FAILED);
	assert_string_equal(problem.text, "one run at a time: 'a' and 'b' were given");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_the_newest_recording_counts),
		IN_FOLDER(test_what_is_not_looked_at),
		IN_FOLDER(test_there_is_none),
		IN_FOLDER(test_a_run_that_was_named_is_taken),
		cmocka_unit_test(test_one_run_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
