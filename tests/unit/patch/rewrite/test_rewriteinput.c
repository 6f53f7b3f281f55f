/* Files that cannot be rewritten. */
#include "patch/rewrite/rewrite.h"

#include "rewrite_fixture.h"

static void refusals_leave_nothing_behind(void **state)
{
	static const char *const wrong[] = {"=x"};
	const struct rewrite_options options = {wrong, 1};
	const uint8_t none[1] = {CHOICE_LEFT};
	struct problem problem;
	char again[160];

	(void)state;
	unlink(output);
	assert_int_equal(rewrite_file(itself, itself, &plan, NULL, NULL, NULL, &problem),
			 KYMO_USAGE);
	assert_non_null(strstr(problem.text, "is the input itself"));
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, &options, NULL, &problem),
			 KYMO_USAGE);
	assert_int_equal(rewrite_file(itself, output, &plan, none, NULL, NULL, &problem),
			 KYMO_ERROR);
	assert_non_null(strstr(problem.text, "nothing to write"));
	assert_int_equal(rewrite_file("/dev/null", output, &plan, NULL, NULL, NULL, &problem),
			 KYMO_FORMAT);
	assert_int_equal(rewrite_file("/no/such", output, &plan, NULL, NULL, NULL, &problem),
			 KYMO_SYSTEM);
	assert_int_not_equal(access(output, F_OK), 0);
	assert_int_equal(
		rewrite_file(itself, "/no/such/folder/x", &plan, NULL, NULL, NULL, &problem),
		KYMO_SYSTEM);
	assert_int_equal(rewrite_file(itself, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	snprintf(again, sizeof(again), "%s.again", output);
	assert_int_equal(rewrite_file(output, again, &plan, NULL, NULL, NULL, &problem),
			 KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "instrumented already"));
	assert_int_not_equal(access(again, F_OK), 0);
}

static void cut_files_are_refused(void **state)
{
	struct problem problem;
	unsigned char *bytes;
	char cut[160];
	size_t size;

	(void)state;
	snprintf(cut, sizeof(cut), "%s.cut", output);
	bytes = read_whole(itself, &size);
	for (size_t left = 0; left < size; left += size / 23) {
		write_whole(cut, bytes, left);
		unlink(output);
		assert_int_not_equal(rewrite_file(cut, output, &plan, NULL, NULL, NULL, &problem),
				     KYMO_OK);
		assert_int_not_equal(access(output, F_OK), 0);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	bool is_adopted = false;

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_leave_nothing_behind),
		cmocka_unit_test(cut_files_are_refused),
	};

	if (argc > 1 && strcmp(argv[1], "adopt") == 0) {
		dl_iterate_phdr(attach_segment, &is_adopted);
		return is_adopted ? rewrite_answer() : 1;
	}
	if (argc > 1)
		return rewrite_answer();
	if (readlink("/proc/self/exe", itself, sizeof(itself) - 1) < 0 || !argv[0])
		return 1;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
