/* Pages of text that are made a program's own before they are written to. */
#include "attach/functions/textready.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE  4096u
#define PAGES 4u

static unsigned char *text; /* of a file, to be read and executed */
static struct targetmap map;
static struct targetmaps maps = {.maps = &map, .count = 1};
static struct targetmodule program;

static int set_up(void **state)
{
	int file = memfd_create("text", MFD_CLOEXEC);
	unsigned char page[PAGE];

	(void)state;
	for (unsigned i = 0; i < PAGES; i++) {
		memset(page, (int)(0x41 + i), sizeof(page));
		assert_int_equal(write(file, page, sizeof(page)), (ssize_t)sizeof(page));
	}
	text = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	assert_ptr_not_equal(text, MAP_FAILED);
	close(file);
	maps.pid = getpid();
	program = (struct targetmodule){.start = (uintptr_t)text,
					.end = (uintptr_t)text + PAGES * PAGE};
	map = (struct targetmap){.start = program.start,
				 .end = program.end,
				 .is_readable = true,
				 .is_executable = true};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	munmap(text, PAGES * PAGE);
	return 0;
}

/* A page that is the process's own has no file any more: bit 61 of its entry. */
static bool is_own(unsigned page)
{
	uint64_t entry = 0;
	FILE *file = fopen("/proc/self/pagemap", "r");

	assert_non_null(file);
	assert_int_equal(fseek(file, (long)(((uintptr_t)text / PAGE + page) * 8), SEEK_SET), 0);
	assert_int_equal(fread(&entry, sizeof(entry), 1, file), 1);
	fclose(file);
	return (entry >> 63 & 1) && !(entry >> 61 & 1);
}

static bool ready(uint64_t start, uint64_t end)
{
	struct textwrite write = {.start = program.start + start, .end = program.start + end};
	const struct textwrites writes = {.writes = &write, .count = 1};

	return textready(&writes, &maps, &program);
}

static void test_pages_of_writes_alone(void **state)
{
	(void)state;
	assert_true(ready(PAGE + 8, PAGE + 13));
	assert_false(is_own(0));
	assert_true(is_own(1));
	assert_false(is_own(2));
	assert_true(ready(3 * PAGE - 2, 3 * PAGE + 3)); /* over an edge */
	assert_true(is_own(2));
	assert_true(is_own(3));
	assert_false(is_own(0));
	for (unsigned i = 0; i < PAGES * PAGE; i++) /* all is as it was */
		assert_int_equal(text[i], 0x41 + i / PAGE);
}

static void test_other_files_are_left_alone(void **state)
{
	(void)state;
	program.end = program.start + PAGE;
	assert_true(ready(PAGE + 8, PAGE + 13));
	assert_false(is_own(1));
}

static void test_text_that_the_program_may_change(void **state)
{
	(void)state;
	map.is_writable = true;
	assert_false(ready(8, 13));
	assert_false(is_own(0));
	map.is_writable = false;
	map.start += PAGE; /* what lies there is not known */
	assert_false(ready(8, 13));
	assert_true(ready(PAGE + 8, PAGE + 13));
}

static void test_no_such_process(void **state)
{
	(void)state;
	maps.pid = 0;
	assert_false(ready(8, 13));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages_of_writes_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_text_that_the_program_may_change, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_no_such_process, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
