/* Whether a run's outputs are still to be written, as the headers of its recordings say it. */
#include "cli/results/finish_due.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder_fixture.h"
#include "format/format.h"

#define FIRST 77 /* the process that was to write them */

static struct kymo_header header_of(uint32_t pid, uint32_t flags)
{
	struct kymo_header header = {.pid = pid, .flags = flags};

	memcpy(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic));
	return header;
}

static void put_recording(const char *path, uint32_t pid, uint32_t flags)
{
	const struct kymo_header header = header_of(pid, flags);

	folder_put(path, &header, sizeof(header));
}

static void test_the_first_process_decides(void **state)
{
	(void)state;
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_NOTHING);
	put_recording("2.kymo", FIRST + 1, KYMO_HEADER_FINISHED);
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_NOTHING);
	put_recording("1.kymo", FIRST, 0);
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_DUE);
	put_recording("1.kymo", FIRST, KYMO_HEADER_FINISHED);
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_DONE);
}

/* Of a process that became other programs, one recording is enough to say it. */
static void test_one_of_its_recordings_is_enough(void **state)
{
	(void)state;
	put_recording("1.kymo", FIRST, 0);
	put_recording("2.kymo", FIRST, KYMO_HEADER_FINISHED);
	put_recording("3.kymo", FIRST, 0);
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_DONE);
}

static void test_what_is_no_recording_says_nothing(void **state)
{
	struct kymo_header header = header_of(FIRST, KYMO_HEADER_FINISHED);

	(void)state;
	put_recording("1.kymo", FIRST, 0);
	put_recording("kymo", FIRST, KYMO_HEADER_FINISHED);
	put_recording("2.kymo.old", FIRST, KYMO_HEADER_FINISHED);
	folder_put("cut.kymo", &header, sizeof(header) - 1);
	header.magic[0] = 'k';
	folder_put("other.kymo", &header, sizeof(header));
	assert_int_equal(mkfifo("pipe.kymo", 0600), 0); /* is not waited for */
	assert_int_equal(mkdir("folder.kymo", 0700), 0);
	assert_int_equal(finish_find_due(folder, FIRST), FINISH_DUE);
}

static void test_a_folder_that_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(finish_find_due("nowhere", FIRST), FINISH_NOTHING);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_the_first_process_decides),
		IN_FOLDER(test_one_of_its_recordings_is_enough),
		IN_FOLDER(test_what_is_no_recording_says_nothing),
		IN_FOLDER(test_a_folder_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
