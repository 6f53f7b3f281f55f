/* What is mapped where, however the kernel's text comes in parts. */
#include "platform/proc/proc_maps.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <limits.h>
#include <unistd.h>

static const char text[] =
	"00400000-00452000 r-xp 0001000 08:02 173521      /usr/bin/a b\n"
	"7f0000000000-7f0000001000 rw-s 00000000 fe:1a 7 \n"
	"7ffc00000000-7ffc00021000 ---p 00000000 00:00 0                          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  /x (deleted)\n";

struct seen {
	struct proc_map maps[8];
	char paths[8][64];
	size_t count, most;
};

static bool keep(const struct proc_map *map, const char *path, void *context)
{
	struct seen *seen = context;

	seen->maps[seen->count] = *map;
	snprintf(seen->paths[seen->count++], sizeof(seen->paths[0]), "%s", path);
	return seen->count < seen->most;
}

static struct seen read_in_parts(size_t cut, char *path, size_t size)
{
	struct seen seen = {.most = 8};
	struct line line = {.path = path, .size = size};

	maps_line_clear(&line);
	assert_true(maps_take_all(&line, text, (long)cut, keep, &seen));
	assert_true(maps_take_all(&line, text + cut, (long)(sizeof(text) - 1 - cut), keep, &seen));
	assert_int_equal(seen.count, 4);
	return seen;
}

static void test_in_parts(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < sizeof(text); cut++) {
		char path[64];
		struct seen seen = read_in_parts(cut, path, sizeof(path));

		assert_true(seen.maps[0].start == 0x400000 && seen.maps[0].end == 0x452000);
		assert_int_equal(seen.maps[0].protection, PROT_READ | PROT_EXEC);
		assert_int_equal(seen.maps[0].offset, 0x1000);
		assert_true(seen.maps[0].device_major == 8 && seen.maps[0].device_minor == 2);
		assert_int_equal(seen.maps[0].inode, 173521);
		assert_false(seen.maps[0].is_shared);
		assert_string_equal(seen.paths[0], "/usr/bin/a b");
		assert_int_equal(seen.maps[1].protection, PROT_READ | PROT_WRITE);
		assert_true(seen.maps[1].is_shared);
		assert_true(seen.maps[1].device_major == 0xfe && seen.maps[1].device_minor == 0x1a);
		assert_int_equal(seen.maps[1].inode, 7);
		assert_string_equal(seen.paths[1], "");
		assert_int_equal(seen.maps[2].protection, PROT_NONE);
		assert_string_equal(seen.paths[2], "[stack]");
		assert_true(seen.maps[3].end == UINT64_C(0xffffffffff601000));
		assert_string_equal(seen.paths[3], "/x (deleted)");
	}
}

static void test_little_room_for_paths(void **state)
{
	char path[4];
	struct seen seen = read_in_parts(0, path, sizeof(path));

	(void)state;
	assert_string_equal(seen.paths[0], "/us");
	assert_string_equal(seen.paths[1], "");
	seen = read_in_parts(5, NULL, 0);
	assert_string_equal(seen.paths[0], "");
	assert_int_equal(seen.maps[0].inode, 173521);
}

struct own {
	uint64_t address;
	struct proc_map map;
	char path[PATH_MAX];
	unsigned count;
};

static bool find_own(const struct proc_map *map, const char *path, void *context)
{
	struct own *own = context;

	own->count++;
	if (own->address < map->start || own->address >= map->end)
		return true;
	own->map = *map;
	snprintf(own->path, sizeof(own->path), "%s", path);
	return false;
}

static void test_of_this_process(void **state)
{
	static struct own own;
	char path[PATH_MAX], *here = realpath("/proc/self/exe", NULL);
	struct stat status;

	(void)state;
	own.address = (uintptr_t)test_of_this_process;
	assert_int_equal(proc_maps_each(PROC_SELF, path, sizeof(path), find_own, &own), 0);
	assert_non_null(here);
	assert_string_equal(own.path, here);
	assert_int_equal(own.map.protection, PROT_READ | PROT_EXEC);
	assert_int_equal(stat(here, &status), 0);
	assert_int_equal(own.map.inode, status.st_ino);
	free(here);
}

static void test_nobody(void **state)
{
	static struct own own;

	(void)state;
	assert_int_equal(proc_maps_each(INT32_MAX, NULL, 0, find_own, &own), ENOENT);
	assert_int_equal(own.count, 0);
}

static void test_deleted(void **state)
{
	(void)state;
	assert_int_equal(proc_maps_deleted("/x (deleted)"), 2);
	assert_int_equal(proc_maps_deleted("/x (deleted) (deleted)"), 12);
	assert_int_equal(proc_maps_deleted("/x"), SIZE_MAX);
	assert_int_equal(proc_maps_deleted("/x (deleted"), SIZE_MAX);
	assert_int_equal(proc_maps_deleted(" (deleted)"), SIZE_MAX);
	assert_int_equal(proc_maps_deleted(""), SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_parts),
		cmocka_unit_test(test_little_room_for_paths),
		cmocka_unit_test(test_of_this_process),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
