/* Which file is run, and what cannot be. */
#include "cli/run/run_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <string.h>

#include "run_fixture.h"

static struct problem problem;

/* What is found for a name; run_release() it. */
static struct run_command found(const char *name, int expected)
{
	static char *words[2];
	struct run_command run;

	words[0] = (char *)name;
	run = run_of(words);
	problem.text[0] = '\0';
	if (run_program_find(&run, &problem) != expected)
		fail_msg("%s: %s", name, problem.text);
	return run;
}

static void assert_refused(const char *name, int expected, const char *line)
{
	struct run_command run = found(name, expected);

	assert_string_equal(problem.text, line);
	assert_false(run.is_recorded);
	run_release(&run);
}

static void put_program(const char *path, const char *text)
{
	folder_put_text(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static void test_a_program(void **state)
{
	char self[PATH_MAX];
	struct run_command run;

	(void)state;
	assert_non_null(realpath("/proc/self/exe", self));
	run = found(self, 0);
	assert_string_equal(run.path, self);
	assert_true(run.is_recorded);
	assert_false(run.is_shell_text || run.is_fork);
	run_release(&run);
}

/* As shells have it, a text without "#!" is a script of theirs. */
static void test_scripts(void **state)
{
	struct run_command run;

	(void)state;
	put_program("with", "#!/bin/sh\nexit 0\n");
	put_program("without", "exit 0\n");
	run = found("./with", 0);
	assert_true(run.is_recorded);
	assert_false(run.is_shell_text);
	run_release(&run);
	run = found("./without", 0);
	assert_true(run.is_recorded && run.is_shell_text);
	run_release(&run);
	put_program("bare", "#!\nexit 0\n");
	run = found("./bare", 0);
	assert_true(run.is_shell_text);
	run_release(&run);
}

static void test_names_are_looked_for_in_the_path(void **state)
{
	struct run_command run;
	char *before = getenv("PATH"), *kept = strdup(before ? before : "");

	(void)state;
	assert_int_equal(mkdir("bin", 0755), 0);
	put_program("bin/tool", "#!/bin/sh\n");
	setenv("PATH", "/nowhere:bin", 1);
	run = found("tool", 0);
	assert_string_equal(run.path, "bin/tool");
	run_release(&run);
	assert_refused("no-such-tool", RUN_NOT_FOUND,
		       "cannot run 'no-such-tool': there is no such command");
	setenv("PATH", kept, 1);
	free(kept);
}

static void test_what_cannot_run(void **state)
{
	(void)state;
	put_program("binary", "");
	folder_put("binary", "one\0two\n", 8);
	put_program("lost", "#!/no/such/interpreter\n");
	folder_put_text("plain", "exit 0\n");
	assert_int_equal(chmod("plain", 0644), 0);
	assert_refused("./absent", RUN_NOT_FOUND,
		       "cannot run './absent': No such file or directory");
	assert_refused("./binary", RUN_NOT_EXECUTABLE,
		       "cannot run './binary': it is neither a program nor a script");
	assert_refused(
		"./lost", RUN_NOT_FOUND,
		"cannot run './lost': its interpreter '/no/such/interpreter' does not exist");
	assert_refused("./plain", RUN_NOT_EXECUTABLE, "cannot run './plain': it is not executable");
	assert_refused(folder, RUN_NOT_EXECUTABLE, problem.text);
	assert_non_null(strstr(problem.text, "it is a directory"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_program),
		IN_FOLDER(test_scripts),
		IN_FOLDER(test_names_are_looked_for_in_the_path),
		IN_FOLDER(test_what_cannot_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
