/* The exporters' sink: whole files or none, the first error and only that. */
#include "export/export_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static int setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/kymo-sink-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

/* The names in the directory, which the test leaves empty. */
static int count_files(void)
{
	DIR *listing = opendir(directory);
	int count = 0;

	assert_non_null(listing);
	for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(listing);
	return count;
}

static int teardown(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/out", directory);
	unlink(path);
	return rmdir(directory);
}

static const char *out_path(void)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/out", directory);
	return path;
}

static char *content(const char *path)
{
	static char text[1024];
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static struct export_sink *opened(const char *path)
{
	struct export_sink *sink = NULL;
	struct problem problem;

	assert_int_equal(sink_open(path, false, &sink, &problem), KYMO_OK);
	return sink;
}

static void write_file(const char *text)
{
	struct export_sink *sink = opened(out_path());

	sink_text(sink, text);
	assert_int_equal(sink_close(sink, NULL, NULL), KYMO_OK);
}

static void test_file_appears_when_it_is_complete(void **state)
{
	struct export_sink *sink = opened(out_path());
	uint64_t bytes = 0;

	(void)state;
	sink_text(sink, "one ");
	sink_flush(sink);
	assert_int_equal(access(out_path(), F_OK), -1);
	sink_byte(sink, '2');
	sink_format(sink, " %s-%d", "three", 4);
	assert_int_equal(sink_bytes(sink), 13);
	assert_int_equal(sink_close(sink, &bytes, NULL), KYMO_OK);
	assert_int_equal(bytes, 13);
	assert_string_equal(content(out_path()), "one 2 three-4");
	assert_int_equal(count_files(), 1);
}

static void test_abandoned_export_leaves_the_old_file(void **state)
{
	struct export_sink *sink;

	(void)state;
	write_file("old");
	sink = opened(out_path());
	sink_text(sink, "new");
	sink_flush(sink);
	sink_abandon(sink);
	assert_string_equal(content(out_path()), "old");
	assert_int_equal(count_files(), 1);
}

static void test_full_device_is_reported_once_at_the_end(void **state)
{
	struct export_sink *sink = opened("/dev/full");
	struct problem problem = {{0}};
	uint64_t bytes = 77;

	(void)state;
	assert_false(sink_has_failed(sink));
	sink_text(sink, "text");
	sink_flush(sink);
	assert_true(sink_has_failed(sink));
	for (int i = 0; i < 100; i++)
		sink_text(sink, "more than the buffer would hold if it were kept, in the end");
	assert_int_equal(sink_close(sink, &bytes, &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot write '/dev/full': No space left on device");
	assert_int_equal(bytes, 77);
}

static void test_reader_that_went_away_is_reported(void **state)
{
	struct problem problem = {{0}};
	struct export_sink *sink;
	char path[32];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	sink = opened(path);
	close(ends[0]);
	sink_text(sink, "text");
	assert_int_equal(sink_close(sink, NULL, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "Broken pipe"));
	close(ends[1]);
}

static void test_directory_and_missing_folder_are_refused(void **state)
{
	struct export_sink *sink = NULL;
	struct problem problem = {{0}};

	(void)state;
	assert_int_equal(sink_open(directory, false, &sink, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, directory));
	assert_int_equal(sink_open("/no/such/folder/file", false, &sink, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "/no/such/folder/file"));
	assert_null(sink);
}

/* Pieces of every length around the limits of the buffer, against a plain copy. */
static void test_pieces_of_all_lengths_arrive_in_order(void **state)
{
	static const size_t lengths[] = {1, 4095, 65535, 65536, 65537, 200000, 262144, 300001, 7};
	size_t total = 0, offset = 0, count = sizeof(lengths) / sizeof(lengths[0]);
	unsigned char *expected, *read_back;
	struct export_sink *sink = opened(out_path());
	FILE *file;

	(void)state;
	for (size_t i = 0; i < count; i++)
		total += lengths[i];
	expected = malloc(total);
	read_back = malloc(total + 1);
	assert_non_null(expected);
	assert_non_null(read_back);
	for (size_t i = 0; i < total; i++)
		expected[i] = (unsigned char)(i * 131 >> 3);
	for (size_t i = 0; i < count; offset += lengths[i++])
		sink_write(sink, expected + offset, lengths[i]);
	assert_int_equal(sink_bytes(sink), total);
	assert_int_equal(sink_close(sink, NULL, NULL), KYMO_OK);
	file = fopen(out_path(), "rb");
	assert_non_null(file);
	assert_int_equal(fread(read_back, 1, total + 1, file), total);
	fclose(file);
	assert_memory_equal(read_back, expected, total);
	free(expected);
	free(read_back);
}

static void test_text_longer_than_the_room_is_cut(void **state)
{
	char *text = malloc(100001);
	struct export_sink *sink = opened("/dev/null");

	(void)state;
	assert_non_null(text);
	memset(text, '"', 100000);
	text[100000] = '\0';
	sink_format(sink, "%s", text);
	assert_int_equal(sink_bytes(sink), SINK_RESERVE_MAX - 1);
	sink_json(sink, text);
	assert_in_range(sink_bytes(sink), 2 * SINK_RESERVE_MAX - 8, 2 * SINK_RESERVE_MAX - 1);
	assert_int_equal(sink->next[-1], '"');
	assert_int_equal(sink->next[-2], '"');
	assert_int_equal(sink->next[-3], '\\');
	assert_int_equal(sink_close(sink, NULL, NULL), KYMO_OK);
	free(text);
}

static void test_json_is_quoted_and_escaped(void **state)
{
	struct export_sink *sink = opened(out_path());

	(void)state;
	sink_json(sink, "a\"b\n");
	assert_int_equal(sink_close(sink, NULL, NULL), KYMO_OK);
	assert_string_equal(content(out_path()), "\"a\\\"b\\n\"");
}

static void test_what_is_over_the_bound_is_not_written(void **state)
{
	struct export_sink *sink = opened(out_path());
	struct problem problem;

	(void)state;
	sink_bound(sink, 5);
	sink_text(sink, "12345");
	assert_int_equal(sink_close(sink, NULL, &problem), KYMO_OK);
	assert_string_equal(content(out_path()), "12345");
	sink = opened(out_path());
	sink_bound(sink, 5);
	sink_text(sink, "abcdef");
	assert_int_equal(sink_close(sink, NULL, &problem), KYMO_LIMIT);
	assert_string_equal(content(out_path()), "12345");
	/* What is written directly takes no room. */
	sink = opened("/dev/null");
	sink_bound(sink, 5);
	sink_text(sink, "abcdef");
	assert_int_equal(sink_close(sink, NULL, &problem), KYMO_OK);
}

#define SINK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SINK_TEST(test_file_appears_when_it_is_complete),
		SINK_TEST(test_abandoned_export_leaves_the_old_file),
		SINK_TEST(test_full_device_is_reported_once_at_the_end),
		SINK_TEST(test_reader_that_went_away_is_reported),
		SINK_TEST(test_directory_and_missing_folder_are_refused),
		SINK_TEST(test_pieces_of_all_lengths_arrive_in_order),
		SINK_TEST(test_text_longer_than_the_room_is_cut),
		SINK_TEST(test_json_is_quoted_and_escaped),
		SINK_TEST(test_what_is_over_the_bound_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
