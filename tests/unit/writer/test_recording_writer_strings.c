/* The strings of a recording that is made. */
#include "writer/recording_writer_strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY 5000

static char path[] = "/tmp/kymo-strings-XXXXXX";
static struct recording_writer_file file;
static struct recording_writer_strings strings;

static int begin(void **state)
{
	struct problem problem = {""};

	(void)state;
	recording_writer_strings_init(&strings);
	return recording_writer_file_open(&file, path, &problem) == KYMO_OK ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	recording_writer_strings_finish(&file, &strings);
	recording_writer_file_discard(&file);
	return 0;
}

static uint64_t add(const char *text)
{
	return recording_writer_strings_add(&file, &strings, text);
}

static void test_each_has_one_reference(void **state)
{
	static uint64_t references[MANY];
	char text[64];

	(void)state;
	assert_int_equal(add(NULL), 0);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			snprintf(text, sizeof(text), "%*d", 1 + i % 40, i); /* of any length */
			if (round == 0)
				references[i] = add(text);
			assert_true(references[i] != 0);
			assert_int_equal(add(text), references[i]);
			assert_int_equal(references[i] % 8, 0);
			if (i > 0)
				assert_true(references[i] > references[i - 1]);
		}
	}
	assert_int_equal(file.status, KYMO_OK);
}

static void test_beginnings_are_others(void **state)
{
	char text[40] = "";
	uint64_t last = add(""), first = last;

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		text[length] = 'x';
		assert_int_not_equal(add(text), last);
		last = add(text);
	}
	assert_int_equal(add(""), first);
}

/* What remembers less writes some twice, which is harmless. */
static void test_bounded(void **state)
{
	const size_t size = 1 << 20;
	char *text = malloc(size);
	uint64_t first;

	(void)state;
	strings.is_bounded = true;
	first = add("main");
	assert_int_equal(add("main"), first);
	memset(text, 'x', size);
	text[size - 1] = '\0';
	for (int i = 0; i < 40; i++) {
		text[0] = (char)('a' + i);
		assert_true(add(text) != 0);
		assert_true(strings.size < (UINT64_C(34) << 20));
	}
	assert_true(add("main") > first);
	assert_int_equal(file.status, KYMO_OK);
	free(text);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_each_has_one_reference),
		CASE(test_beginnings_are_others),
		CASE(test_bounded),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
