/* What command lines run. */
#include "base/text/commandname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct line {
	const char *name;
	const char *arguments[8];
};

static void test_lines(void **state)
{
	static const struct line lines[] = {
		{"prog", {"/usr/bin/prog", "python3", "x.py"}},
		{"script.py", {"/usr/bin/python3.11", "path/script.py", "-m", "other"}},
		{"script.py", {"python", "-u", "-X", "dev", "-W", "error", "script.py"}},
		{"module", {"python3", "-m", "module", "x.py"}},
		{"module", {"python3", "-um", "module"}},
		{"python3", {"python3", "-c", "print()", "x.py"}},
		{"python3", {"python3"}},
		{"python3", {"python3", "-"}},
		{"python3", {"python3", "-X"}},
		{"python3", {"python3", "", "x.py"}},
		{"script.py", {"pypy3", "--jit=off", "script.py"}},
		{"", {"/"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		size_t count = 0;

		while (count < 8 && lines[i].arguments[count])
			count++;
		assert_string_equal(command_name(lines[i].arguments, count), lines[i].name);
	}
	assert_null(command_name(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
