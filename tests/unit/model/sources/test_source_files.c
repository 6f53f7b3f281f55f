/* Files of a run, found by their recorded names. */
#include "model/sources/source_files.h"

#include "source_text_fixture.h"

static void test_files(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	call(&fixture, "/a/one.py", 7, 0, 100);
	call(&fixture, "/a/two.py", 1, 100, 400);
	call(&fixture, "/a/one.py", 3, 400, 450);
	call(&fixture, "<string>", 1, 450, 460);
	load(&fixture);
	assert_int_equal(fixture.files->count, 3);
	assert_string_equal(fixture.files->files[0].name, "/a/two.py");
	assert_string_equal(fixture.files->files[1].name, "/a/one.py");
	assert_int_equal(fixture.files->files[1].function_count, 2);
	assert_int_equal(fixture.files->files[1].functions[0].line, 3);
	assert_int_equal(fixture.files->files[1].functions[1].line, 7);
	assert_true(fixture.files->files[1].self_ns > 149 && fixture.files->files[1].self_ns < 151);
	assert_null(source_file_path(&fixture.files->files[2]));
	assert_int_equal(state_of(&fixture, 2, NULL), SOURCE_UNNAMED);
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_MISSING);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
