/* Tables as CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "table_fixture.h"
#include "report/tables/table_csv.h"

static void test_csv(void **state)
{
	struct capture capture;

	(void)state;
	table_write_csv(&table, capture_begin(&capture));
	capture_end(&capture, "time,calls,pid,share,name\n"
			      "0.0015,0,12345,12.34,größe\n"
			      "0.003,,12345,12.34,\"say \"\"a,b\"\"\"\n"
			      "0.0045,24690,12345,,a_long|name_that_may_be_cut\n");
}

/* Numbers as measured, without signs or roundings for people. */
static void test_changes(void **state)
{
	static const struct table changes = {CHANGES};
	struct capture capture;

	(void)state;
	table_write_csv(&changes, capture_begin(&capture));
	capture_end(&capture, "difference,change\n0.25,50\n-0.25,-50\n1e-12,2e-10\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
