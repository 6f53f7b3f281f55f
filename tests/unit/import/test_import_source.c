/* Files to be imported: mapped, unpacked within bounds, refused where they are none. */
#include "import/import_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
	char path[64];
	struct import_source source;
	struct problem problem;
};

static enum kymo_status open_file(struct file *file, const void *data, size_t size, uint64_t limit)
{
	int fd;

	*file = (struct file){.path = "/tmp/kymo-source-XXXXXX"};
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	return import_source_open(&file->source, file->path, limit, &file->problem);
}

static void close_file(struct file *file)
{
	import_source_close(&file->source);
	unlink(file->path);
}

static void test_files_are_mapped(void **state)
{
	struct file file;

	(void)state;
	assert_int_equal(open_file(&file, "abc", 3, IMPORT_UNPACK_OWN), KYMO_OK);
	assert_int_equal(file.source.size, 3);
	assert_memory_equal(file.source.data, "abc", 3);
	assert_string_equal(file.source.title, file.path);
	assert_true(file.source.is_mapped && file.source.modified_ns > 0);
	assert_false(file.source.was_compressed);
	close_file(&file);
	assert_null(file.source.data);
	assert_int_equal(open_file(&file, "", 0, IMPORT_UNPACK_OWN), KYMO_OK);
	assert_int_equal(file.source.size, 0);
	close_file(&file);
}

/* "hello," as zlib compresses it */
#define HELLO                                                                                      \
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xd7\x01\x00\xdd\xb5\x37\xe4" \
	"\x06\x00\x00\x00"

static void test_what_is_packed_is_unpacked_within_bounds(void **state)
{
	struct file file;

	(void)state;
	assert_int_equal(open_file(&file, HELLO, sizeof(HELLO) - 1, IMPORT_UNPACK_OWN), KYMO_OK);
	assert_true(file.source.was_compressed);
	assert_int_equal(file.source.size, 6);
	assert_memory_equal(file.source.data, "hello,", 6);
	close_file(&file);
	assert_int_equal(open_file(&file, HELLO, sizeof(HELLO) - 1, 6), KYMO_OK);
	close_file(&file);
	assert_int_equal(open_file(&file, HELLO, sizeof(HELLO) - 1, 5), KYMO_FORMAT);
	assert_non_null(strstr(file.problem.text, "--unpack-limit"));
	assert_null(file.source.data); /* as it was */
	close_file(&file);
	assert_int_equal(open_file(&file, HELLO, 12, IMPORT_UNPACK_OWN), KYMO_FORMAT);
	close_file(&file);
}

static void test_what_cannot_be_read(void **state)
{
	struct import_source source = {0};
	struct problem problem;

	(void)state;
	assert_int_equal(import_source_open(&source, "/nonexistent/x", IMPORT_UNPACK_OWN, &problem),
			 KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "'/nonexistent/x': No such file"));
	assert_int_equal(import_source_open(&source, "/tmp", IMPORT_UNPACK_OWN, &problem),
			 KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "is a directory"));
}

static void test_pipes_are_read_to_their_end(void **state)
{
	struct import_source source;
	char path[32];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], HELLO, sizeof(HELLO) - 1), sizeof(HELLO) - 1);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(import_source_open(&source, path, IMPORT_UNPACK_OWN, NULL), KYMO_OK);
	close(ends[0]);
	assert_int_equal(source.size, 6);
	assert_int_equal(source.modified_ns, 0);
	import_source_close(&source);
}

static void test_long_titles_keep_their_end(void **state)
{
	char path[2 * IMPORT_TITLE_SIZE];
	struct import_source source;
	struct problem problem;

	(void)state;
	memset(path, 'd', sizeof(path));
	strcpy(path + sizeof(path) - 8, "/x.prof");
	source = import_source_bytes(path, "", 0);
	assert_int_equal(strlen(source.title), IMPORT_TITLE_SIZE - 1);
	assert_memory_equal(source.title, "...ddd", 6);
	assert_string_equal(source.title + IMPORT_TITLE_SIZE - 8, "/x.prof");
	source = import_source_bytes("x", "", 0);
	assert_int_equal(source_fail(&source, "noun", &problem, "line %d", 3), KYMO_FORMAT);
	assert_string_equal(problem.text, "'x' is no noun that can be read: line 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_mapped),
		cmocka_unit_test(test_what_is_packed_is_unpacked_within_bounds),
		cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_pipes_are_read_to_their_end),
		cmocka_unit_test(test_long_titles_keep_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
