/* Which file is instrumented: the program's own, or its interpreter's. */
#include "cli/instrument/instrument_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <string.h>

#include "cli/folder_fixture.h"

static void put_script(const char *path, const char *text)
{
	folder_put_text(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static void test_a_program(void **state)
{
	struct instrument_target target = {0};
	char self[PATH_MAX];

	(void)state;
	assert_non_null(realpath("/proc/self/exe", self));
	assert_true(instrument_target_find(&target, self));
	assert_string_equal(target.path, self);
	assert_string_equal(target.elf, self);
	assert_int_equal(target.facts.obstacle, EXEC_NONE);
	instrument_target_release(&target);
}

/* Through scripts of scripts, to what the first line names without its arguments. */
static void test_scripts(void **state)
{
	struct instrument_target target = {0};
	char self[PATH_MAX], line[PATH_MAX + 32];

	(void)state;
	assert_non_null(realpath("/proc/self/exe", self));
	snprintf(line, sizeof(line), "#! \t%s -x\nbody\n", self);
	put_script("one", line);
	assert_true(instrument_target_find(&target, "./one"));
	assert_string_equal(target.path, "./one");
	assert_string_equal(target.elf, self);
	snprintf(line, sizeof(line), "#!%s/one", folder);
	put_script("two", line);
	assert_true(instrument_target_find(&target, "./two"));
	assert_int_equal(target.facts.script_depth, 2);
	assert_string_equal(target.elf, self);
}

/* A library need not be executable; what is in the path comes first. */
static void test_names(void **state)
{
	struct instrument_target target = {0};
	char *kept = strdup(getenv("PATH") ? getenv("PATH") : "");

	(void)state;
	assert_int_equal(mkdir("bin", 0755), 0);
	folder_put_text("tool", "");
	put_script("bin/tool", "#!/bin/sh\n");
	setenv("PATH", "bin", 1);
	assert_true(instrument_target_find(&target, "tool"));
	assert_string_equal(target.path, "bin/tool");
	assert_int_equal(unlink("bin/tool"), 0);
	assert_true(instrument_target_find(&target, "tool"));
	assert_string_equal(target.path, "tool");
	assert_false(instrument_target_find(&target, "absent"));
	assert_false(instrument_target_find(&target, "./absent"));
	setenv("PATH", kept, 1);
	free(kept);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_program),
		IN_FOLDER(test_scripts),
		IN_FOLDER(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
