/* How many files and threads there are, without the reading thread. */
#include "collectors/procstat/procstat_files.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t file_links, file_entries, thread_links;
static double values[3];
static uint32_t defined;

void procstat_folder_counts(const char *path, uint64_t *entries_out, uint64_t *links_out)
{
	bool is_files = strcmp(path, FILES_FOLDER) == 0;

	*entries_out = is_files ? file_entries : 0;
	*links_out = is_files ? file_links : thread_links;
}

void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...)
{
	(void)unit, (void)format;
	*series = (struct procstat_series){.id = ++defined};
}

void procstat_put(struct procstat_series *series, double value)
{
	values[series->id] = value;
}

static int begin(void **state)
{
	(void)state;
	defined = 0;
	values[1] = values[2] = -1;
	file_entries = 12;
	file_links = 2;
	thread_links = 6;
	return 0;
}

static void test_counts(void **state)
{
	const char *why;

	(void)state;
	assert_true(procstat_files.open(&why));
	procstat_files.read();
	assert_true(values[1] == 12);
	assert_true(values[2] == 3); /* of six links two are the folder's, one is who reads */
}

static void test_what_is_not_known_is_not_written(void **state)
{
	const char *why;

	(void)state;
	assert_true(procstat_files.open(&why));
	file_links = thread_links = 0;
	procstat_files.read();
	assert_true(values[1] < 0 && values[2] < 0);
	thread_links = 3; /* nobody but who reads: the program is just ending */
	procstat_files.read();
	assert_true(values[2] < 0);
}

static void test_no_folder(void **state)
{
	const char *why = NULL;

	(void)state;
	file_links = 0;
	assert_false(procstat_files.open(&why));
	assert_string_equal(why, "/proc/self/fd cannot be read");
	assert_int_equal(defined, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_counts, begin),
		cmocka_unit_test_setup(test_what_is_not_known_is_not_written, begin),
		cmocka_unit_test_setup(test_no_folder, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
