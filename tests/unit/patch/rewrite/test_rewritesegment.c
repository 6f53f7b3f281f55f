/* What is added to a file, and what stays behind it. */
#include "patch/rewrite/rewrite.h"

#include "rewrite_fixture.h"

static void appended_data_stays_at_the_end(void **state)
{
	struct problem problem;
	unsigned char *bytes;
	char longer[160];
	size_t size;

	(void)state;
	snprintf(longer, sizeof(longer), "%s.longer", output);
	bytes = read_whole(itself, &size);
	bytes = realloc(bytes, size + 9);
	memcpy(bytes + size, "appended!", 9);
	write_whole(longer, bytes, size + 9);
	free(bytes);
	assert_int_equal(rewrite_file(longer, output, &plan, NULL, NULL, NULL, &problem), KYMO_OK);
	bytes = read_whole(output, &size);
	assert_memory_equal(bytes + size - 9, "appended!", 9);
	free(bytes);
	assert_int_equal(answer_of(output), 42);
}

int main(int argc, char **argv)
{
	bool is_adopted = false;

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appended_data_stays_at_the_end),
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
