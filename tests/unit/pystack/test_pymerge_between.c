/* What lies between Python's frames. */
#include "pystack/merge/pymerge.h"

#include "pymerge_fixture.h"

/* The innermost evaluation is known to have no run. */
static void test_between(void **state)
{
	static const struct row rows[] = {
		{"EaEbEc", "x/y/", 0, "axbyc"}, {"EaEbEcEd", "x/y/", 0, "axbycEd"},
		{"aEbEc", "x/", 0, "abxc"},	{"EaEb", "x/y/", 0, "axby?"},
		{"EaEbEc", "x|y|", 1, "axbyc"}, /* by their addresses, as ever */
		{"ab", "x/", 0, "abx?"},
	};

	(void)state;
	is_between = true;
	check(rows, sizeof(rows) / sizeof(rows[0]));
	is_between = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
