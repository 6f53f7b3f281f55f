/* Boxed tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table_fixture.h"
#include "report/tables/table_boxed.h"

static void test_boxed_counts_characters(void **state)
{
	struct capture capture;

	(void)state;
	table_write_boxed(&table, "a banner", 24, capture_begin(&capture));
	capture_end(&capture, "|----------------------------------------------------------|\n"
			      "|                         A BANNER                         |\n"
			      "|----------------------------------------------------------|\n"
			      "| TIME  | CALLS | PID   | SHARE |           NAME           |\n"
			      "|-------|-------|-------|-------|--------------------------|\n"
			      "| 0.002 |     0 | 12345 |  12.3 | größe                    |\n"
			      "| 0.003 |     - | 12345 |  12.3 | say \"a,b\"                |\n"
			      "| 0.005 | 24690 | 12345 |     - | a_long|name_that_may_... |\n"
			      "|----------------------------------------------------------|\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxed_counts_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
