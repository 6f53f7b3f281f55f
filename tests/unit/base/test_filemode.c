/* Modes of what is written. */
#include "base/filemode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_words(void **state)
{
	static const struct {
		const char *word;
		mode_t file, folder;
	} cases[] = {
		{"all", 0644, 0755},   {"user", 0600, 0700}, {"group", 0640, 0750},
		{"world", 0600, 0700}, {"all", 0644, 0755},  {"", 0600, 0700},
	};

	(void)state;
	assert_int_equal(filemode_file(), 0600); /* before anybody chose */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		filemode_choose(cases[i].word);
		assert_int_equal(filemode_file(), cases[i].file);
		assert_int_equal(filemode_folder(), cases[i].folder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
