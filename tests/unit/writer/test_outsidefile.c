/* The file of a recording that is written about another process, as readers see it. */
#include "writer/outsidefile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"

static char folder[] = "/tmp/kymo-outsidefile-XXXXXX";
static struct outsidefile file;

static int begin(void **state)
{
	struct problem problem = {""};

	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	return outsidefile_create(&file, folder, "prog", 42, &problem) == KYMO_OK ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	unlink(file.path);
	return rmdir(folder);
}

static struct recording *read_back(void)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	assert_int_equal(recording_open(file.path, &recording, &problem), KYMO_OK);
	assert_int_equal(recording->problem_count, 0);
	return recording;
}

static void test_read_while_it_is_written(void **state)
{
	struct recording *recording;

	(void)state;
	outsidefile_note(&file, KYMO_NOTE_INFO, "key", "value");
	recording = read_back();
	assert_int_equal(recording->header.pid, 42);
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "key"), "value");
	recording_free(recording);
	outsidefile_note(&file, KYMO_NOTE_INFO, "other", "");
	outsidefile_close(&file, KYMO_STATE_CLOSED);
	recording = read_back();
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "other"), "");
	recording_free(recording);
}

static void test_strings_are_written_once(void **state)
{
	uint64_t first = outsidefile_string(&file, "main"), other = outsidefile_string(&file, ""),
		 bytes = outsidefile_bytes(&file, "a\0b", 3);
	struct recording *recording;
	uint32_t size = 0;

	(void)state;
	assert_true(first != 0 && other != 0 && first != other);
	assert_int_equal(outsidefile_string(&file, "main"), first);
	assert_int_equal(outsidefile_string(&file, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "function_%d", i);
		assert_true(outsidefile_string(&file, text) != 0);
	}
	assert_int_equal(outsidefile_string(&file, "main"), first);
	outsidefile_close(&file, KYMO_STATE_CLOSED);
	recording = read_back();
	assert_string_equal(recording_string(recording, first), "main");
	assert_string_equal(recording_string(recording, other), "");
	assert_memory_equal(recording_bytes(recording, bytes, &size), "a\0b", 3);
	assert_int_equal(size, 3);
	recording_free(recording);
}

static void test_the_limit_is_kept(void **state)
{
	uint64_t before = file.file.mapped;

	(void)state;
	file.limit_bytes = before + 4096;
	freopen("/dev/null", "w", stderr); /* says so once */
	while (outsidefile_chunk(&file, KYMO_CHUNK_EVENTS, 4096 - sizeof(struct kymo_chunk), 0, 0,
				 0))
		assert_true(file.header->end <= file.limit_bytes);
	assert_true(file.is_full);
	assert_int_equal(file.header->refused_chunks, 1);
	assert_true(file.header->refused_bytes >= 4096);
	assert_true(file.file.mapped <= file.limit_bytes);
	outsidefile_close(&file, KYMO_STATE_CLOSED);
	recording_free(read_back());
}

static void test_names_that_are_taken(void **state)
{
	struct problem problem = {""};
	struct outsidefile second;

	(void)state;
	assert_int_equal(outsidefile_create(&second, folder, "prog", 42, &problem), KYMO_OK);
	assert_string_not_equal(second.path, file.path);
	unlink(second.path);
	outsidefile_close(&second, KYMO_STATE_CLOSED);
	assert_int_equal(outsidefile_create(&second, "/proc/nowhere", "prog", 42, &problem),
			 KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "'/proc/nowhere'"));
	outsidefile_close(&file, KYMO_STATE_CLOSED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_read_while_it_is_written),
		CASE(test_strings_are_written_once),
		CASE(test_the_limit_is_kept),
		CASE(test_names_that_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
