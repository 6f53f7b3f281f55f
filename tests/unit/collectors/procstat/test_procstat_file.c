/* Files of /proc and /sys, read again and again. */
#include "collectors/procstat/procstat_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_a_file_is_read_anew_each_time(void **state)
{
	struct procstat_file file;
	uint64_t number = 0;
	char line[8];

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/x", "17\n");
	assert_true(procstat_file_open(&file, "proc/%s", "x"));
	assert_true(procstat_file_number(&file, &number));
	assert_int_equal(number, 17);
	procstat_fixture_write("proc/x", "word and more\n18\n");
	assert_false(procstat_file_number(&file, &number));
	assert_int_equal(number, 17);
	assert_false(procstat_file_line(&file, line, sizeof(line))); /* longer than there is room */
	procstat_fixture_write("proc/x", "seven77\n18\n");
	assert_true(procstat_file_line(&file, line, sizeof(line)));
	assert_string_equal(line, "seven77");
	procstat_fixture_write("proc/x", "end");
	assert_true(procstat_file_line(&file, line, sizeof(line)));
	assert_string_equal(line, "end");
	procstat_fixture_write("proc/x", "");
	assert_false(procstat_file_line(&file, line, sizeof(line)));
	assert_int_equal(file.fd, -1); /* descriptors are the program's */
	procstat_file_close(&file);
	assert_false(procstat_file_open(&file, "proc/none"));
	procstat_fixture_end();
}

static bool collect(const char *name, void *context)
{
	char **text = context;
	char *grown;

	assert_true(asprintf(&grown, "%s%s ", *text ? *text : "", name) > 0);
	free(*text);
	*text = grown;
	return strlen(grown) < 4;
}

static void test_folders(void **state)
{
	uint64_t entries, links;
	char *names = NULL;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("d/one", "");
	procstat_fixture_write("d/.hidden", "");
	assert_true(procstat_folder_walk("d", collect, &names));
	assert_string_equal(names, "one ");
	free(names);
	assert_false(procstat_folder_walk("none", collect, NULL));
	procstat_folder_counts("none", &entries, &links);
	assert_int_equal(links, 0);
	procstat_folder_counts("d", &entries, &links);
	assert_true(links > 0);
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_read_anew_each_time),
		cmocka_unit_test(test_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
