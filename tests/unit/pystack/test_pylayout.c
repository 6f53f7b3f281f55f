/* The table of layouts. */
#include "pystack/pylayout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "synthetic_python.h"

static void test_table(void **state)
{
	(void)state;
	for (uint16_t minor = 8; minor <= 15; minor++) {
		const struct pylayout *layout = pylayout_find((uint16_t)(0x0300 | minor));

		assert_non_null(layout);
		assert_int_equal(layout->version, 0x0300 | minor);
		assert_true(layout->thread.frame == PYLAYOUT_NONE || minor <= 10);
	}
	assert_null(pylayout_find(0x0307));
	assert_null(pylayout_find(0x0310));
	assert_int_equal(pylayout_newest()->version, 0x030f);
	assert_null(pylayout_find(0x0208));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
