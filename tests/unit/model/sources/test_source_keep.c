/* Sources kept beside the recordings. */
#include "model/sources/source_text.h"

#include "model/sources/source_keep.h"
#include "source_text_fixture.h"

static void test_kept(void **state)
{
	struct fixture fixture;
	char path[512], name[SOURCE_NAME_SIZE];
	struct source_text text;
	struct stat about;

	(void)state;
	begin(&fixture);
	snprintf(path, sizeof(path), "%s/other", fixture.folder);
	assert_int_equal(mkdir(path, 0777), 0);
	put_text(&fixture, "mod.py", "first\n");
	put_text(&fixture, "other/mod.py", "second\n");
	snprintf(path, sizeof(path), "%s/linked.py", fixture.folder);
	assert_int_equal(symlink("mod.py", path), 0);
	call(&fixture, "mod.py", 1, 0, 900);
	call(&fixture, "other/mod.py", 1, 1000, 1800);
	call(&fixture, "linked.py", 1, 2000, 2700);
	load(&fixture);
	assert_int_equal(keep(&fixture), 3);
	/* Changed or gone afterwards: the copies are what is shown. */
	put(&fixture, "mod.py", "new\n", 4, 100);
	snprintf(path, sizeof(path), "%s/other/mod.py", fixture.folder);
	unlink(path);
	assert_int_equal(state_of(&fixture, 0, "first\n"), SOURCE_KEPT);
	assert_int_equal(state_of(&fixture, 1, "second\n"), SOURCE_KEPT);
	assert_int_equal(state_of(&fixture, 2, "first\n"), SOURCE_KEPT);
	/* For the owner only. */
	snprintf(path, sizeof(path), "%s/sources", fixture.run);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/mod.py", fixture.folder);
	source_kept_name(path, name);
	snprintf(path, sizeof(path), "%s/sources/%s", fixture.run, name);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	/* Kept again it is as it is now, and said to be younger than the run. */
	assert_int_equal(keep(&fixture), 2);
	assert_int_equal(source_text_read(&fixture.loaded, &fixture.files->files[0], false, &text),
			 KYMO_OK);
	assert_string_equal(text.text, "new\n");
	assert_true(text.is_younger);
	source_text_release(&text);
	/* A copy that is a link leads nowhere. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_CHANGED);
	end(&fixture);
}

static void test_names(void **state)
{
	char name[SOURCE_NAME_SIZE], other[SOURCE_NAME_SIZE], *path = malloc(6000);

	(void)state;
	source_kept_name("/a/b.py", name);
	source_kept_name("/c/b.py", other);
	assert_string_not_equal(name, other);
	assert_string_equal(name + 32, "-b.py");
	source_kept_name("/a/..\n\"<x>\xff.py", name);
	assert_string_equal(name + 32, "-..___x__.py");
	assert_non_null(path);
	memset(path, 'x', 5999);
	path[5999] = '\0';
	source_kept_name(path, name);
	assert_true(strlen(name) < SOURCE_NAME_SIZE);
	free(path);
	assert_true(source_has_suffix("/a/b.F90"));
	assert_false(source_has_suffix("/a.py/id_rsa"));
	assert_false(source_has_suffix("passwd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
