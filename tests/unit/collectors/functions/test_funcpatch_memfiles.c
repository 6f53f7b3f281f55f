/* Files in memory that the command writes plans into where there is no cache. */
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_memfiles.c"
#include "collectors/functions/modules/funcpatch_memfiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct funcpatch_found found[3];

static void test_for_those_that_are_missing(void **state)
{
	struct stat status;

	(void)state;
	found[0].is_missing = found[2].is_missing = true;
	funcpatch_memfiles_open(found, 3);
	assert_int_equal(found[1].plan_memfile, 0);
	assert_int_equal(found[1].choice_memfile, 0);
	for (unsigned i = 0; i < 3; i += 2) {
		assert_true(found[i].plan_memfile >= FIRST && found[i].choice_memfile >= FIRST);
		assert_int_not_equal(found[i].plan_memfile, found[i].choice_memfile);
		assert_int_equal(fstat(found[i].plan_memfile, &status), 0);
		assert_int_equal(status.st_mode & 0777, 0600); /* nobody else opens it */
		assert_int_equal(fcntl(found[i].plan_memfile, F_GETFD), FD_CLOEXEC);
	}
	funcpatch_memfiles_close(found, 3);
}

static void test_closed(void **state)
{
	int plan, choice;

	(void)state;
	found[0].is_missing = true;
	funcpatch_memfiles_open(found, 1);
	plan = found[0].plan_memfile;
	choice = found[0].choice_memfile;
	funcpatch_memfiles_close(found, 1);
	assert_int_equal(fcntl(plan, F_GETFD), -1);
	assert_int_equal(fcntl(choice, F_GETFD), -1);
	assert_int_equal(found[0].plan_memfile + found[0].choice_memfile, 0);
	funcpatch_memfiles_close(found, 1); /* nothing of somebody else's */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_for_those_that_are_missing),
		cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
