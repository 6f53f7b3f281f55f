/* Names of functions that were chosen, and the file that the collector reads. */
#include "cli/instrument/function_choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "choice_fixture.h"
#include "cli/folder_fixture.h"

static void assert_name(struct chosen_file *file, size_t index, const char *expected)
{
	char buffer[FUNCTION_NAME_SIZE];

	assert_string_equal(
		function_choice_name(&file->choice, index, file->report.symbols, buffer), expected);
}

static void test_names(void **state)
{
	struct chosen_file file;

	(void)state;
	chosen_make(&file);
	assert_name(&file, CHOSEN_TAKEN, "a::solve(int)");
	assert_name(&file, CHOSEN_SMALL, "tiny");
	assert_name(&file, CHOSEN_UNNAMED, "app+0x1060");
	assert_name(&file, CHOSEN_LOOP, "a::solve(int), loop at +0x10");
	assert_string_equal(function_choice_mangled(&file.choice, CHOSEN_UNNAMED), "");
	/* A loop is in the last function that begins before it. */
	file.functions[CHOSEN_LOOP].address = 0x1048;
	assert_name(&file, CHOSEN_LOOP, "a::solve(int), loop at +0x8");
	chosen_release(&file);
}

static void test_parts(void **state)
{
	struct plan_function function = {.reason = PLAN_PART};

	(void)state;
	assert_true(function_is_part(&function));
	function.reason = PLAN_STUB;
	assert_true(function_is_part(&function));
	function.reason = PLAN_OVERLAPPING;
	assert_false(function_is_part(&function));
}

#define FUNCTIONS 3 /* that are written, so that there is room up to the next multiple of 8 */

/* The header, a byte a function, and values at the next multiple of 8. */
static void assert_file(const unsigned char *bytes, size_t size, const struct chosen_file *file)
{
	struct choice_header header;

	assert_int_equal(size, sizeof(header) + 8 + 4);
	memcpy(&header, bytes, sizeof(header));
	assert_memory_equal(header.magic, CHOICE_MAGIC, 8);
	assert_int_equal(header.version, PLAN_VERSION);
	assert_int_equal(header.count, FUNCTIONS);
	assert_int_equal(header.plan_checksum, 77);
	assert_memory_equal(bytes + sizeof(header), file->taken, FUNCTIONS);
	assert_memory_equal(bytes + sizeof(header) + FUNCTIONS, "\0\0\0\0\0abcd", 9);
}

static void make_with_values(struct chosen_file *file)
{
	chosen_make(file);
	file->header.checksum = 77;
	file->header.function_count = FUNCTIONS;
	file->choice.values = (struct function_value_list){(unsigned char *)"abcd", 4, NULL};
}

static void test_handing_it_on(void **state)
{
	int memory = memfd_create("choice", MFD_CLOEXEC);
	unsigned char bytes[256];
	struct chosen_file file;

	(void)state;
	make_with_values(&file);
	assert_int_equal(function_choice_hand(&file.choice, memory, NULL), KYMO_OK);
	assert_file(bytes, (size_t)pread(memory, bytes, sizeof(bytes), 0), &file);
	close(memory); /* it was not taken over */
	chosen_release(&file);
}

static void test_a_descriptor_that_is_not_open(void **state)
{
	struct chosen_file file;
	struct problem problem;

	(void)state;
	chosen_make(&file);
	assert_int_equal(function_choice_hand(&file.choice, -1, &problem), KYMO_ERROR);
	assert_string_equal(problem.text,
			    "cannot pass on the selection of '/opt/app': Bad file descriptor");
	chosen_release(&file);
}

/* Beside the plan, under the key in place of the cost; a key is no path. */
static void test_keeping_it(void **state)
{
	struct chosen_file file;
	struct problem problem;
	char *bytes;

	(void)state;
	make_with_values(&file);
	setenv("XDG_CACHE_HOME", folder, 1);
	assert_true(mkdir("kymo", 0700) == 0 && mkdir("kymo/plans", 0700) == 0);
	assert_int_equal(function_choice_write(&file.choice, "0123abc", &problem), KYMO_OK);
	bytes = folder_get("kymo/plans/ab01.0123abc.choice");
	assert_file((unsigned char *)bytes, sizeof(struct choice_header) + 12, &file);
	free(bytes);
	assert_int_equal(function_choice_write(&file.choice, "../x", &problem), KYMO_ERROR);
	assert_memory_equal(problem.text, "there is no folder for the selection '../x'", 39);
	unsetenv("XDG_CACHE_HOME");
	chosen_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_handing_it_on),
		cmocka_unit_test(test_a_descriptor_that_is_not_open),
		cmocka_unit_test_setup_teardown(test_keeping_it, folder_set_up, folder_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
