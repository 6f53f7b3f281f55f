/* Files that are cut while they are mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/trace/trace_cursor.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"
#include "platform/files/filehole.h"
#include "synthetic.h"

#define PAGES 16

static size_t page;

static int make_file(char *path, size_t size)
{
	int file;

	strcpy(path, "/tmp/kymo-filehole-XXXXXX");
	file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, (off_t)size), 0);
	return file;
}

static unsigned char *map_file(int file)
{
	unsigned char *bytes = mmap(NULL, PAGES * page, PROT_READ, MAP_SHARED, file, 0);

	assert_ptr_not_equal(bytes, MAP_FAILED);
	return bytes;
}

/* The framework sets handlers of its own before each test: the guard is set in it. */
static int find_page(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* First, since the path of the first is kept. */
static void test_a_watched_file_is_named(void **state)
{
	char path[64];
	int file = make_file(path, PAGES * page);
	unsigned char *bytes = map_file(file);

	(void)state;
	filehole_guard();
	assert_int_equal(pwrite(file, "x", 1, 0), 1);
	filehole_watch(bytes, PAGES * page, path);
	assert_int_equal(filehole_count(), 0);
	assert_int_equal(ftruncate(file, 1), 0);
	for (size_t i = PAGES; i-- > 0;)
		assert_int_equal(bytes[i * page], i == 0 ? 'x' : 0);
	/* From the last page to the second, each was met by itself. */
	assert_int_equal(filehole_count(), PAGES - 1);
	assert_string_equal(filehole_path(), path);
	filehole_unwatch(bytes);
	munmap(bytes, PAGES * page);
	close(file);
	unlink(path);
	filehole_restore();
}

/* What lies behind the first page that is gone is gone, too, and filled with it. */
static void test_the_rest_is_filled_at_once(void **state)
{
	char path[64];
	int file = make_file(path, PAGES * page);
	unsigned char *bytes = map_file(file);
	size_t before = filehole_count();

	(void)state;
	filehole_guard();
	filehole_watch(bytes, PAGES * page, path);
	assert_int_equal(ftruncate(file, 0), 0);
	for (size_t i = 0; i < PAGES * page; i += 64)
		assert_int_equal(bytes[i], 0);
	assert_int_equal(filehole_count(), before + 1);
	filehole_unwatch(bytes);
	munmap(bytes, PAGES * page);
	close(file);
	unlink(path);
	filehole_restore();
}

/* Libraries map files that nobody watches. */
static void test_others_are_filled_page_by_page(void **state)
{
	char path[64];
	int file = make_file(path, PAGES * page);
	unsigned char *bytes = map_file(file);
	size_t before = filehole_count();

	(void)state;
	filehole_guard();
	assert_int_equal(ftruncate(file, 0), 0);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(bytes[i * page], 0);
	assert_int_equal(filehole_count(), before + PAGES);
	munmap(bytes, PAGES * page);
	close(file);
	unlink(path);
	filehole_restore();
}

static void write_recording(const char *path)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t region = synthetic_region(synthetic, KYMO_REGION_PYTHON, "run");
	uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, "main", 0);
	const void *bytes;
	size_t size;
	FILE *out;

	for (uint64_t i = 0; i < 20000; i++) {
		synthetic_enter(synthetic, thread, region, 100 + i * 10);
		synthetic_leave(synthetic, thread, region, 105 + i * 10);
	}
	synthetic_close(synthetic, 1000000);
	bytes = synthetic_bytes(synthetic, &size);
	out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	synthetic_free(synthetic);
}

static void read_all(struct recording *recording)
{
	struct calltree *tree = NULL;
	struct trace_cursor *cursor;
	struct trace_event event;

	assert_int_equal(trace_cursor_new(recording, 0, &cursor), KYMO_OK);
	while (trace_cursor_next(cursor, &event))
		;
	trace_cursor_free(cursor);
	if (calltree_new(recording, &tree, NULL) == KYMO_OK)
		calltree_free(tree);
}

/* Wherever it is cut, what was opened is read to its end. */
static void test_a_recording_is_cut_while_it_is_read(void **state)
{
	char path[64];
	int file = make_file(path, 0);
	off_t size;

	(void)state;
	filehole_guard();
	write_recording(path);
	size = lseek(file, 0, SEEK_END);
	for (off_t cut = 0; cut < size; cut += (off_t)page * 5) {
		struct recording *recording = NULL;
		struct problem problem = {""};
		size_t before = filehole_count();

		write_recording(path);
		if (recording_open(path, &recording, &problem) != KYMO_OK)
			fail_msg("%s", problem.text);
		assert_int_equal(truncate(path, cut), 0);
		read_all(recording);
		if (cut < size / 2)
			assert_true(filehole_count() > before);
		recording_free(recording);
	}
	close(file);
	unlink(path);
	filehole_restore();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_watched_file_is_named),
		cmocka_unit_test(test_the_rest_is_filled_at_once),
		cmocka_unit_test(test_others_are_filled_page_by_page),
		cmocka_unit_test(test_a_recording_is_cut_while_it_is_read),
	};

	return cmocka_run_group_tests(tests, find_page, NULL);
}
