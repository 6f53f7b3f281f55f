/* Sources read again: of this machine, and what is no file of theirs. */
#include "model/sources/source_text.h"

#include "model/sources/source_keep.h"
#include "source_text_fixture.h"

static void test_of_this_machine(void **state)
{
	static const char binary[] = "text\0and no text";
	struct fixture fixture;
	char *large = calloc(1, SOURCE_BYTES_MAX + 1), path[160];

	(void)state;
	begin(&fixture);
	assert_non_null(large);
	memset(large, '\n', SOURCE_BYTES_MAX + 1);
	put_text(&fixture, "good.py", "def f():\n    pass\n");
	put(&fixture, "young.py", "x\n", 2, 1);
	put(&fixture, "binary.py", binary, sizeof(binary), -60);
	put(&fixture, "large.py", large, SOURCE_BYTES_MAX + 1, -60);
	put_text(&fixture, "id_rsa", "a secret\n");
	put_text(&fixture, "script", "#!/bin/sh\n");
	put_text(&fixture, "empty.py", "");
	snprintf(path, sizeof(path), "%s/pipe.py", fixture.folder);
	assert_int_equal(mkfifo(path, 0666), 0);
	free(large);
	call(&fixture, "good.py", 1, 0, 900);
	call(&fixture, "young.py", 1, 1000, 1800);
	call(&fixture, "binary.py", 1, 2000, 2700);
	call(&fixture, "large.py", 1, 3000, 3600);
	call(&fixture, "id_rsa", 1, 4000, 4500);
	call(&fixture, "script", 1, 5000, 5400);
	call(&fixture, "empty.py", 1, 6000, 6300);
	call(&fixture, "pipe.py", 1, 7000, 7200);
	load(&fixture);
	assert_int_equal(state_of(&fixture, 0, "def f():\n    pass\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_CHANGED);
	assert_int_equal(state_of(&fixture, 2, NULL), SOURCE_FOREIGN);
	assert_int_equal(state_of(&fixture, 3, NULL), SOURCE_LARGE);
	assert_int_equal(state_of(&fixture, 4, NULL), SOURCE_FOREIGN);
	assert_int_equal(state_of(&fixture, 5, "#!/bin/sh\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 6, ""), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 7, NULL), SOURCE_FOREIGN);
	/* Of these, what is text stays with the run, young or not. */
	assert_int_equal(keep(&fixture), 4);
	assert_int_equal(state_of(&fixture, 1, "x\n"), SOURCE_KEPT);
	end(&fixture);
}

static void test_no_folder(void **state)
{
	struct fixture fixture;
	struct problem problem;
	char path[160];
	size_t count;

	(void)state;
	begin(&fixture);
	put_text(&fixture, "a.py", "x\n");
	call(&fixture, "a.py", 1, 0, 10);
	load(&fixture);
	snprintf(path, sizeof(path), "%s/sources", fixture.run);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(sources_keep(fixture.files, fixture.run, &count, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "cannot keep sources in"));
	end(&fixture);
}

/* Others can have written the run: nothing unless it is asked for, and then what all may read. */
static void test_of_others(void **state)
{
	struct fixture fixture;
	char path[256];

	(void)state;
	begin(&fixture);
	put_text(&fixture, "open.py", "open\n");
	put_text(&fixture, "private.py", "secret\n");
	snprintf(path, sizeof(path), "%s/open.py", fixture.folder);
	assert_int_equal(chmod(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/private.py", fixture.folder);
	assert_int_equal(chmod(path, 0600), 0);
	call(&fixture, "open.py", 1, 0, 900);
	call(&fixture, "private.py", 1, 1000, 1800);
	load(&fixture);
	assert_int_equal(state_of(&fixture, 1, "secret\n"), SOURCE_HERE);
	fixture.opened.is_own = false;
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_WITHHELD);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_WITHHELD);
	fixture.is_asked_for = true;
	assert_int_equal(state_of(&fixture, 0, "open\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_PRIVATE);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_this_machine),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
