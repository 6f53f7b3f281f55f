/* Recordings that are named for a merge: in lists, in lists of lists, and what is none. */
#include "merge/inputs/merge_inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kymo-test-inputs-XXXXXX";
static const char *const names[] = {"a.kymo", "short.kymo", "other.kymo", "list", "inner", "loop"};
#define NAMES (sizeof(names) / sizeof(*names))

static struct merge_inputs inputs;
static struct problem problem;

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	merge_inputs_release(&inputs);
	for (size_t i = 0; i < NAMES; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

static enum kymo_status read_given(const char *prefix, const char *name)
{
	char given[160], *list[] = {given};

	snprintf(given, sizeof(given), "%s%s/%s", prefix, folder, name);
	return merge_inputs_read(&inputs, list, 1, &problem);
}

static void put_recording(const char *name)
{
	struct kymo_header header = {
		.pid = 42, .flags = KYMO_HEADER_PROFILE, .start_realtime_ns = 99, .run_id = {7}};

	memcpy(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic));
	put(name, &header, sizeof(header));
}

static void test_what_the_header_says(void **state)
{
	(void)state;
	put_recording("a.kymo");
	assert_int_equal(read_given("", "a.kymo"), KYMO_OK);
	assert_int_equal(inputs.count, 1);
	assert_string_equal(inputs.items[0].run, folder);
	assert_string_equal(inputs.items[0].path, path_of("a.kymo"));
	assert_int_equal(inputs.items[0].pid, 42);
	assert_int_equal(inputs.items[0].run_id[0], 7);
	assert_int_equal(inputs.items[0].size, sizeof(struct kymo_header));
	assert_int_equal(inputs.items[0].process_count, 1);
}

/* Said, and the others are merged all the same. */
static void test_what_is_no_recording(void **state)
{
	(void)state;
	put("other.kymo", "something else", 14);
	put("short.kymo", KYMO_FORMAT_MAGIC, 8);
	assert_int_equal(read_given("", "other.kymo"), KYMO_OK);
	assert_int_equal(read_given("", "short.kymo"), KYMO_OK);
	assert_int_equal(read_given("", "none.kymo"), KYMO_OK);
	assert_int_equal(inputs.count, 0);
	assert_int_equal(inputs.problem_count, 3);
	assert_non_null(strstr(inputs.problems[0], "is not a recording of kymo"));
	assert_non_null(strstr(inputs.problems[1], "is cut off in its header"));
	assert_non_null(strstr(inputs.problems[2], "none.kymo"));
}

static void test_lists(void **state)
{
	char text[300];

	(void)state;
	put_recording("a.kymo");
	snprintf(text, sizeof(text), "%s/a.kymo\n\n", folder);
	put("inner", text, strlen(text));
	snprintf(text, sizeof(text), "@%s/inner\n%s/a.kymo", folder,
		 folder); /* no last line's end */
	put("list", text, strlen(text));
	assert_int_equal(read_given("@", "list"), KYMO_OK);
	assert_int_equal(inputs.count, 2); /* which is one is chosen later */
	assert_int_equal(inputs.problem_count, 0);
}

static void test_lists_that_are_wrong(void **state)
{
	char text[300];

	(void)state;
	assert_int_equal(read_given("@", "list"), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "cannot read the list"));
	put("list", "a\0b\n", 4);
	assert_int_equal(read_given("@", "list"), KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "NUL"));
	snprintf(text, sizeof(text), "@%s/loop\n", folder);
	put("loop", text, strlen(text));
	assert_int_equal(read_given("@", "loop"), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "lists name each other"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_what_the_header_says),
		CASE(test_what_is_no_recording),
		CASE(test_lists),
		CASE(test_lists_that_are_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
